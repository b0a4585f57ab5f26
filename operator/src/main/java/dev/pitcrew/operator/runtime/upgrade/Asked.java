package dev.pitcrew.operator.runtime.upgrade;

import java.util.Optional;

/// What one process knows of the pods whose eviction it requested. All of it may be lost: a process
/// that does not know asks again.
interface Asked {

  /// Why the pod with this uid did not go the last time.
  Optional<String> refusal(String uid);

  /// Whether the pods of this node were asked, for the upgrade under way.
  default boolean isAsked(String node) {
    return false;
  }
}
