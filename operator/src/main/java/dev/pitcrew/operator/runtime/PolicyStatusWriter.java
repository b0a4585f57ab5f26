package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.policy.Verdict;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Says on a ClusterPolicy or NVIDIADriver what has come of it: one status write, and an Event
/// where something turned.
final class PolicyStatusWriter {
  private final Applier applier;
  private final Events events;
  private final InstantSource clock;
  private final Optional<String> namespace;
  private final Contention contention;
  private final Pace pace = new Pace();

  /// @param namespace where its operands run, if the status says so
  PolicyStatusWriter(
      Applier applier, Events events, InstantSource clock, Optional<String> namespace) {
    this.applier = applier;
    this.events = events;
    this.clock = clock;
    this.namespace = namespace;
    this.contention = new Contention(clock);
  }

  /// Writes the status if it differs.
  ///
  /// @param notices conditions beside those of the verdict
  /// @param emits whether an Event reports it, if it is a turn
  /// @return how long to wait before the newest progress may be written, or zero
  Duration write(
      GenericKubernetesResource policy, Verdict verdict, List<Condition> notices, boolean emits) {
    List<Condition> before = StatusConditions.of(policy);
    boolean onlyProgress = verdict.isProgress() && !turned(verdict, before) && !emits;
    Instant now = clock.instant();
    Duration pause = pace.pause(now);
    if (onlyProgress && pause.isPositive()) {
      return pause;
    }
    if (verdict.isProgress()) {
      pace.used(now);
    }
    List<Condition> after =
        Conditions.merge(
            before,
            Stream.concat(
                    verdict.conditions(policy.getMetadata().getGeneration()).stream(),
                    notices.stream())
                .toList(),
            now);
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    status.put("state", verdict.state());
    namespace.ifPresent(name -> status.put("namespace", name));
    status.set(
        "conditions",
        KubernetesJson.MAPPER.valueToTree(
            Conditions.sameIgnoringTime(before, after) ? before : after));
    ObjectKey key = ObjectKey.of(policy);
    Object content = List.of(policy.getMetadata().getUid(), verdict.state(), withoutTimes(after));
    Optional<Instant> held = contention.heldUntil(key, content);
    if (held.isPresent()) {
      return Duration.between(now, held.get());
    }
    if (applier.patchStatus(policy, status) instanceof ApplyResult.Applied(String version)) {
      contention.wrote(key, content, version);
    }
    notices.stream()
        .filter(it -> it.getStatus().equals("True") && before.stream().noneMatch(sameReason(it)))
        .forEach(it -> events.emit(policy, Events.Type.WARNING, it.getReason(), it.getMessage()));
    if (emits && (verdict.isProgress() || turned(verdict, before))) {
      announce(policy, verdict);
    }
    return Duration.ZERO;
  }

  /// Another writer that keeps turning a condition changes its time with each of our writes.
  private static List<Condition> withoutTimes(List<Condition> conditions) {
    return conditions.stream()
        .map(it -> new ConditionBuilder(it).withLastTransitionTime("").build())
        .toList();
  }

  private void announce(GenericKubernetesResource policy, Verdict verdict) {
    var type = verdict.isReady() || verdict.isProgress() ? Events.Type.NORMAL : Events.Type.WARNING;
    events.emit(policy, type, verdict.reason(), verdict.message());
  }

  private static Predicate<Condition> sameReason(Condition condition) {
    return it ->
        it.getType().equals(condition.getType())
            && it.getStatus().equals(condition.getStatus())
            && it.getReason().equals(condition.getReason());
  }

  private static boolean turned(Verdict verdict, List<Condition> before) {
    return before.stream()
        .filter(condition -> condition.getType().equals(verdict.isReady() ? "Ready" : "Error"))
        .noneMatch(condition ->
            condition.getStatus().equals("True")
                && Objects.equals(condition.getReason(), verdict.reason())
                && (verdict.isReady() || sameCause(condition, verdict)));
  }

  /// While operands come up the message counts nodes; that is not reported.
  private static boolean sameCause(Condition condition, Verdict verdict) {
    return verdict.isProgress() || Objects.equals(condition.getMessage(), verdict.message());
  }
}
