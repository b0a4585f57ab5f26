package dev.pitcrew.kube.apply;

import java.util.Locale;

/// What a write does to an object.
public enum Verb {
  APPLY,
  /// Moves fields of another manager to ours, changing no value.
  TAKEOVER,
  PATCH,
  STATUS,
  CREATE,
  UPDATE,
  DELETE,
  /// Requests deletion of a pod unless a PodDisruptionBudget forbids it.
  EVICT;

  /// As metrics spell it.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
