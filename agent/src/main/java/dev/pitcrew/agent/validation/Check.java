package dev.pitcrew.agent.validation;

import dev.pitcrew.api.node.ValidationState;

/// What came of looking at one part of the node.
///
/// @param reason why it failed, in CamelCase; where it passed, that the message names something of
///   which nothing is known; else an empty text
/// @param message in plain words
public record Check(Component component, ValidationState state, String reason, String message) {

  static Check passed(Component component, String message) {
    return new Check(component, ValidationState.PASSED, "", message);
  }

  /// Nothing is wrong, and something is not known.
  static Check passed(Component component, String reason, String message) {
    return new Check(component, ValidationState.PASSED, reason, message);
  }

  static Check failed(Component component, String reason, String message) {
    return new Check(component, ValidationState.FAILED, reason, message);
  }

  static Check waiting(Component component, String message) {
    return new Check(component, ValidationState.WAITING, "", message);
  }

  static Check unknown(Component component, String message) {
    return new Check(component, ValidationState.UNKNOWN, "", message);
  }

  static Check off(Component component, String message) {
    return new Check(component, ValidationState.OFF, "", message);
  }

  public boolean isPassed() {
    return state == ValidationState.PASSED;
  }

  public boolean isFailed() {
    return state == ValidationState.FAILED;
  }

  /// Whether nothing is left to wait for.
  public boolean isSettled() {
    return state == ValidationState.PASSED || state == ValidationState.OFF;
  }
}
