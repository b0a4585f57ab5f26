package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.runtime.RuntimeState;
import java.util.List;
import java.util.Optional;

/// How the container runtime stands, where that is the agent's to say.
///
/// @param isOurs whether it is the agent that sets it up
/// @param state empty before it was looked at
/// @param nri empty while nothing is known of plugins
/// @param hookProblem why no container starts that asks for GPUs by variable
/// @param handlerFiles files that have the handler for GPUs, from any writer
public record RuntimeFacts(
    boolean isOurs,
    Optional<RuntimeState> state,
    Optional<NriState> nri,
    Optional<String> hookProblem,
    List<String> handlerFiles) {
  /// Another program or user sets the runtime up.
  public static final RuntimeFacts NONE =
      new RuntimeFacts(false, Optional.empty(), Optional.empty(), Optional.empty(), List.of());

  public RuntimeFacts {
    handlerFiles = List.copyOf(handlerFiles);
  }
}
