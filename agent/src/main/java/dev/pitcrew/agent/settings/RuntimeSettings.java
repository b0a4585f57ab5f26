package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import java.util.List;
import java.util.Optional;

/// How the container runtime is set up. What is empty is as it usually is.
///
/// @param kind which runtime the node has
/// @param config its own file, on the host
/// @param dropIn ours, on the host
/// @param socket on the host
/// @param program the daemon's path on the host
/// @param handlers for which RuntimeClasses ask
/// @param cdi whether it is to take devices by CDI names
/// @param isEdited whether its files are the agent's to edit
public record RuntimeSettings(
    Optional<RuntimeKind> kind,
    Optional<String> config,
    Optional<String> dropIn,
    Optional<String> socket,
    Optional<String> program,
    Optional<RestartMode> restart,
    List<String> handlers,
    boolean cdi,
    boolean isEdited) {
  /// Those of the RuntimeClasses that the operator makes.
  static final List<String> HANDLERS = List.of("nvidia", "nvidia-cdi", "nvidia-legacy");

  static final RuntimeSettings STANDARD =
      new RuntimeSettings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          HANDLERS,
          true,
          true);

  public RuntimeSettings {
    handlers = List.copyOf(handlers);
  }
}
