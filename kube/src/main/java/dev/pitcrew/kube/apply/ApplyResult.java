package dev.pitcrew.kube.apply;

/// What came of an attempt to make an object as desired.
public sealed interface ApplyResult {

  /// It was so already; nothing was sent.
  record Unchanged() implements ApplyResult {}

  /// It was sent. `resourceVersion` is what the object has since: the one that it had before where
  /// the API server found nothing to change.
  record Applied(String resourceVersion) implements ApplyResult {}

  /// The API server takes the object for invalid (400, 422), which a user's input can cause, or
  /// forbids the write (403), as quotas and admission policies do; `message` is what it said.
  record Refused(String message) implements ApplyResult {}
}
