package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.policy.PolicyVerdict;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

/// Says on a ClusterPolicy what has come of it: one status write, and an Event where something
/// turned.
final class PolicyStatusWriter {
  private static final ObjectMapper JSON = new ObjectMapper();

  // On a thousand nodes every pod that gets ready changes the counts; that is no reason for a
  // thousand writes.
  private static final Duration PROGRESS_EVERY = Duration.ofSeconds(5);

  private final Applier applier;
  private final Events events;
  private final InstantSource clock;
  private final String namespace;
  private Instant nextProgress = Instant.EPOCH;

  PolicyStatusWriter(Applier applier, Events events, InstantSource clock, String namespace) {
    this.applier = applier;
    this.events = events;
    this.clock = clock;
    this.namespace = namespace;
  }

  /// Writes the status if it differs.
  ///
  /// @return how long to wait before the newest progress may be written, or zero
  Duration write(GenericKubernetesResource policy, PolicyVerdict verdict) {
    List<Condition> before = StatusConditions.of(policy);
    boolean onlyProgress = verdict.isProgress() && !turned(verdict, before);
    Duration pause = Duration.between(clock.instant(), nextProgress);
    if (onlyProgress && pause.isPositive()) {
      return pause;
    }
    if (verdict.isProgress()) {
      nextProgress = clock.instant().plus(PROGRESS_EVERY);
    }
    List<Condition> after =
        Conditions.merge(
            before, verdict.conditions(policy.getMetadata().getGeneration()), clock.instant());
    ObjectNode status = JSON.createObjectNode();
    status.put("state", verdict.state());
    status.put("namespace", namespace);
    status.set(
        "conditions",
        JSON.valueToTree(Conditions.sameIgnoringTime(before, after) ? before : after));
    applier.patchStatus(policy, status);
    announce(policy, verdict, before);
    return Duration.ZERO;
  }

  private void announce(
      GenericKubernetesResource policy, PolicyVerdict verdict, List<Condition> before) {
    if (turned(verdict, before)) {
      var type =
          verdict.isReady() || verdict.isProgress() ? Events.Type.NORMAL : Events.Type.WARNING;
      events.emit(policy, type, verdict.reason(), verdict.message());
    }
  }

  private static boolean turned(PolicyVerdict verdict, List<Condition> before) {
    return before.stream()
        .filter(condition -> condition.getType().equals(verdict.isReady() ? "Ready" : "Error"))
        .noneMatch(condition ->
            condition.getStatus().equals("True")
                && Objects.equals(condition.getReason(), verdict.reason())
                && (verdict.isReady() || sameCause(condition, verdict)));
  }

  /// While operands come up the message counts nodes; that is no news.
  private static boolean sameCause(Condition condition, PolicyVerdict verdict) {
    return verdict.isProgress() || Objects.equals(condition.getMessage(), verdict.message());
  }
}
