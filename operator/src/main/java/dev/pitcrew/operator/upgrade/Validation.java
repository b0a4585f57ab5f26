package dev.pitcrew.operator.upgrade;

/// Whether what needs the driver has come up with it.
public sealed interface Validation {

  /// All that is looked at works.
  record Passed() implements Validation {}

  /// Not yet, and maybe never.
  ///
  /// @param blocker the pod or the condition that is not there yet
  record Pending(String blocker) implements Validation {}
}
