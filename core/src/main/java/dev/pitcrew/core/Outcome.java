package dev.pitcrew.core;

import java.time.Duration;

/// What a reconcile ends with. It never means a fixed requeue: a wait names how long and for what,
/// a failure is retried with exponential back-off and jitter, and everything else is woken by the
/// event that changes it.
public sealed interface Outcome {

  /// Nothing is left to do until something changes.
  record Done() implements Outcome {}

  /// Look again after `delay` unless an event comes first; `reason` is for the log.
  record Wait(Duration delay, String reason) implements Outcome {}

  /// Only the user can move this on. `reason` is a CamelCase condition reason, `message` names the
  /// field, the value and the remedy.
  record Blocked(String reason, String message) implements Outcome {}

  /// I/O failed or a bug showed; retried with back-off.
  record Failed(Throwable cause) implements Outcome {}

  static Outcome done() {
    return new Done();
  }

  static Outcome wait(Duration delay, String reason) {
    return new Wait(delay, reason);
  }

  static Outcome blocked(String reason, String message) {
    return new Blocked(reason, message);
  }

  static Outcome failed(Throwable cause) {
    return new Failed(cause);
  }
}
