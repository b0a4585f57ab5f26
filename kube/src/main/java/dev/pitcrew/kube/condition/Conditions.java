package dev.pitcrew.kube.condition;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Merges the conditions that a reconcile has found into those of a status, after the API
/// conventions of Kubernetes: one condition per type, and lastTransitionTime changes only with the
/// status.
public final class Conditions {

  private Conditions() {}

  /// A condition without a time, which [#merge] adds.
  ///
  /// @param status `True`, `False` or `Unknown`
  /// @param reason in CamelCase
  public static Condition of(
      String type, String status, String reason, String message, long observedGeneration) {
    return new ConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage(message)
        .withObservedGeneration(observedGeneration)
        .build();
  }

  /// The existing conditions in their order, each replaced by the desired one of its type, then the
  /// desired ones of new types. Types that are not desired stay as they are: others may own them.
  public static List<Condition> merge(
      List<Condition> existing, List<Condition> desired, Instant now) {
    Map<String, Condition> merged = new LinkedHashMap<>();
    existing.forEach(condition -> merged.put(condition.getType(), condition));
    desired.forEach(condition ->
        merged.merge(condition.getType(), timed(condition, now), Conditions::keepingTime));
    return List.copyOf(merged.values());
  }

  /// Whether both say the same, whenever they came to say it.
  public static boolean sameIgnoringTime(List<Condition> one, List<Condition> other) {
    return withoutTimes(one).equals(withoutTimes(other));
  }

  private static Condition keepingTime(Condition before, Condition after) {
    @Nullable String since = before.getLastTransitionTime();
    boolean same = Objects.equals(before.getStatus(), after.getStatus()) && since != null;
    return same ? new ConditionBuilder(after).withLastTransitionTime(since).build() : after;
  }

  private static Condition timed(Condition condition, Instant now) {
    String time = now.truncatedTo(ChronoUnit.SECONDS).toString(); // metav1.Time has no fractions
    return new ConditionBuilder(condition).withLastTransitionTime(time).build();
  }

  private static Map<String, Condition> withoutTimes(List<Condition> conditions) {
    Map<String, Condition> byType = new LinkedHashMap<>();
    conditions.forEach(condition ->
        byType.put(
            condition.getType(),
            new ConditionBuilder(condition).withLastTransitionTime(null).build()));
    return byType;
  }
}
