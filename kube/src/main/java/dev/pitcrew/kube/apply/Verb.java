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
  /// Asks that a pod be deleted where nobody's disruption budget is against it.
  EVICT;

  /// As metrics spell it.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
