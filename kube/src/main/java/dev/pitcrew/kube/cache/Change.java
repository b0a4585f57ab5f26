package dev.pitcrew.kube.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;

/// What happened to an object of a [Cache]. Objects that the cache does not keep count as absent.
public sealed interface Change<T extends HasMetadata> {

  /// The object appeared, or was there when the listener came.
  record Added<T extends HasMetadata>(T object) implements Change<T> {}

  /// The same object (same uid) with another resourceVersion.
  record Updated<T extends HasMetadata>(T before, T after) implements Change<T> {}

  /// The object is gone; `last` is what the cache knew of it.
  record Deleted<T extends HasMetadata>(T last) implements Change<T> {}

  /// The newest that is known of the object.
  default T latest() {
    return switch (this) {
      case Added<T>(T object) -> object;
      case Updated<T>(_, T after) -> after;
      case Deleted<T>(T last) -> last;
    };
  }
}
