package dev.pitcrew.core.requests;

import java.util.Collection;

/// A taint of a node, by the rules of the scheduler.
///
/// @param value empty where it has none
public record Taint(String key, String value, String effect) {

  /// Whether it keeps no pod off, but for better nodes.
  public boolean isPreference() {
    return effect.equals("PreferNoSchedule");
  }

  public boolean isTolerated(Collection<Toleration> tolerations) {
    return tolerations.stream().anyMatch(toleration -> toleration.covers(this));
  }

  /// The narrowest toleration of it, as a manifest has it.
  public String toleration() {
    return value.isEmpty()
        ? "{key: %s, operator: %s, effect: %s}".formatted(key, Toleration.EXISTS, effect)
        : "{key: %s, operator: %s, value: %s, effect: %s}"
            .formatted(key, Toleration.EQUAL, value, effect);
  }

  /// Such as `nvidia.com/gpu=present:NoSchedule`.
  public String text() {
    return "%s%s:%s".formatted(key, value.isEmpty() ? "" : "=" + value, effect);
  }
}
