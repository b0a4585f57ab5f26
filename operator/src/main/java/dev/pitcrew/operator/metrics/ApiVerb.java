package dev.pitcrew.operator.metrics;

import java.util.Locale;

/// How an object on the API server is changed.
public enum ApiVerb {
  CREATE,
  APPLY,
  UPDATE,
  PATCH,
  DELETE,
  EVICT;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
