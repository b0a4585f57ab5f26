package dev.pitcrew.kube.apply;

/// What came of an attempt to make an object as desired.
public sealed interface ApplyResult {

  /// It was so already; nothing was sent.
  record Unchanged() implements ApplyResult {}

  /// It was written.
  record Applied() implements ApplyResult {}

  /// The API server takes the object for invalid (400, 422), which a user's input can cause, or
  /// forbids the write (403), as quotas and admission policies do; `message` is what it said.
  record Refused(String message) implements ApplyResult {}
}
