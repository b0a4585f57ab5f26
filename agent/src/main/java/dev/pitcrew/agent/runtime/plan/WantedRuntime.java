package dev.pitcrew.agent.runtime.plan;

import java.util.List;

/// What a runtime is to have.
///
/// @param handlers for which RuntimeClasses ask
/// @param cdi whether it is to take devices by CDI names
/// @param nri whether it is to let plugins in
public record WantedRuntime(List<String> handlers, boolean cdi, boolean nri) {
  public WantedRuntime {
    handlers = List.copyOf(handlers);
  }
}
