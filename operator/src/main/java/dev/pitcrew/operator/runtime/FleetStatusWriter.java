package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.operator.policy.PolicyVerdict;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Says on the FleetPolicy how far each operand is; the ClusterPolicy's schema has no place for it.
final class FleetStatusWriter {
  private final Caches caches;
  private final Applier applier;
  private final InstantSource clock;
  private final Pace pace = new Pace();

  FleetStatusWriter(Caches caches, Applier applier, InstantSource clock) {
    this.caches = caches;
    this.applier = applier;
    this.clock = clock;
  }

  /// Writes the status of the FleetPolicy, if there is one and it differs.
  ///
  /// @return how long to wait before the newest progress may be written, or zero
  Duration write(PolicyVerdict verdict, List<OperandStatus> operands) {
    Optional<GenericKubernetesResource> fleetPolicy =
        caches.fleetPolicies().get("", PolicyReport.FLEET);
    Duration pause = pace.pause(clock.instant());
    if (fleetPolicy.isEmpty() || pause.isPositive()) {
      return fleetPolicy.isEmpty() ? Duration.ZERO : pause;
    }
    if (write(fleetPolicy.get(), verdict, operands) instanceof ApplyResult.Applied) {
      pace.used(clock.instant());
    }
    return Duration.ZERO;
  }

  private ApplyResult write(
      GenericKubernetesResource fleetPolicy, PolicyVerdict verdict, List<OperandStatus> operands) {
    List<Condition> before = StatusConditions.of(fleetPolicy);
    List<Condition> after =
        Conditions.merge(
            before,
            List.of(ready(verdict, fleetPolicy.getMetadata().getGeneration())),
            clock.instant());
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    status.set(
        "conditions",
        KubernetesJson.MAPPER.valueToTree(
            Conditions.sameIgnoringTime(before, after) ? before : after));
    status.set("operands", ApiJson.tree(operands));
    return applier.patchStatus(fleetPolicy, status);
  }

  private static Condition ready(PolicyVerdict verdict, long generation) {
    return Conditions.of(
        "Ready",
        verdict.isReady() ? "True" : "False",
        verdict.reason(),
        verdict.message(),
        generation);
  }
}
