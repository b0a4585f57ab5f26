package dev.pitcrew.agent.mig.change;

/// How a change ended.
public sealed interface ChangeOutcome {

  /// The GPUs are as they are wanted.
  ///
  /// @param isChanged whether they were not before
  record Done(boolean isChanged) implements ChangeOutcome {}

  /// All GPUs that can be read are as they are wanted; there are others.
  ///
  /// @param isChanged whether one was not before
  record Incomplete(String reason, boolean isChanged) implements ChangeOutcome {}

  /// Nothing was begun.
  record Refused(String reason) implements ChangeOutcome {}

  /// The GPUs are not as they are wanted.
  ///
  /// @param isRestored whether they are again as they were
  record Failed(String reason, boolean isRestored) implements ChangeOutcome {}

  /// A MIG mode that was set comes into force with a reboot only; the way back is still known.
  record AwaitsReboot(String reason) implements ChangeOutcome {}

  /// For a person; empty where all is well.
  default String text() {
    return switch (this) {
      case Done(_) -> "";
      case Incomplete(var reason, _) -> reason + "; the other GPUs are as they are wanted";
      case Refused(var reason) -> reason + "; nothing was changed";
      case AwaitsReboot(var reason) -> reason + "; it takes a reboot of the node";
      case Failed(var reason, var isRestored) ->
          isRestored
              ? reason + "; the GPUs are again divided as before"
              : reason + "; the GPUs could not be divided as before: run it again";
    };
  }
}
