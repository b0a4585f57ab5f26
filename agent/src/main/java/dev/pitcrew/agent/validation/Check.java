package dev.pitcrew.agent.validation;

/// What came of looking at one part of the node.
///
/// @param reason why it failed, in CamelCase; an empty text where it did not
/// @param message in plain words
public record Check(Component component, State state, String reason, String message) {

  public enum State {
    PASSED,
    FAILED,
    /// For a part that must work first.
    WAITING,
    /// It cannot be told at the moment; what was true stays so.
    UNKNOWN,
    /// It is not wanted on this node.
    OFF
  }

  static Check passed(Component component, String message) {
    return new Check(component, State.PASSED, "", message);
  }

  static Check failed(Component component, String reason, String message) {
    return new Check(component, State.FAILED, reason, message);
  }

  static Check waiting(Component component, String message) {
    return new Check(component, State.WAITING, "", message);
  }

  static Check unknown(Component component, String message) {
    return new Check(component, State.UNKNOWN, "", message);
  }

  static Check off(Component component, String message) {
    return new Check(component, State.OFF, "", message);
  }

  public boolean isPassed() {
    return state == State.PASSED;
  }

  public boolean isFailed() {
    return state == State.FAILED;
  }

  /// Whether nothing is left to wait for.
  public boolean isSettled() {
    return state == State.PASSED || state == State.OFF;
  }
}
