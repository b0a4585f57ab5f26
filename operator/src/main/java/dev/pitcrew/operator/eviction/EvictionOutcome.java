package dev.pitcrew.operator.eviction;

import java.util.Optional;

/// What came of one attempt to evict a pod.
public sealed interface EvictionOutcome {

  /// It ends now, in its own time.
  record Evicted() implements EvictionOutcome {}

  /// There is nothing to evict any more.
  record Gone() implements EvictionOutcome {}

  /// A disruption budget is against it, which may pass.
  record Refused(String message) implements EvictionOutcome {}

  /// It is never evicted: a user or another program has to act.
  record Spared(String message) implements EvictionOutcome {}

  /// The API server could not be asked, or said no for another reason.
  record Failed(String message) implements EvictionOutcome {}

  /// Why the pod stays, in words that name it; empty where it does not.
  default Optional<String> blocker() {
    return switch (this) {
      case Evicted _, Gone _ -> Optional.empty();
      case Refused(var message) -> Optional.of(message);
      case Spared(var message) -> Optional.of(message);
      case Failed(var message) -> Optional.of(message);
    };
  }

  /// Whether another attempt may end otherwise without an event. A pod that is gone may be named by
  /// a program that has not seen that yet, or has seen more.
  default boolean mayPass() {
    return !(this instanceof Spared);
  }
}
