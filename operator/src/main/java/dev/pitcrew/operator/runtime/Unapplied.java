package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.render.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// An object that is not in the cluster as wanted.
///
/// @param retry when it is tried again
record Unapplied(ObjectKey object, Problem problem, Instant retry) {
  private static final int NAMED = 4;

  /// What a status says of several: why the first is not applied, and which others are not.
  static String message(List<Unapplied> several) {
    String first = several.getFirst().problem().message();
    List<ObjectKey> others = several.stream().skip(1).map(Unapplied::object).toList();
    return others.isEmpty()
        ? first
        : "%s; not applied either: %s%s"
            .formatted(
                first,
                others.stream()
                    .limit(NAMED)
                    .map(ObjectKey::toString)
                    .collect(Collectors.joining(", ")),
                others.size() > NAMED ? " and others" : "");
  }

  /// How long until the first of them is tried again; zero if there are none.
  static Duration untilRetry(Collection<Unapplied> several, Instant now) {
    return several.stream()
        .map(it -> Duration.between(now, it.retry()))
        .min(Comparator.naturalOrder())
        .map(wait -> wait.isPositive() ? wait : Duration.ofMillis(1))
        .orElse(Duration.ZERO);
  }
}
