package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.PolicyMetrics;
import dev.pitcrew.operator.metrics.ReconciliationStatus;
import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.policy.OperandProgress;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.PolicyVerdict;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;

/// Tells what has come of a reconcile: the status of the policies, the FleetPolicy, metrics. It
/// watches pods while something is not ready, to say why.
final class PolicyReport {
  static final String FLEET = "fleet";

  private final Caches caches;
  private final PolicyStatusWriter status;
  private final FleetStatusWriter fleetStatus;
  private final PodWatch pods;
  private final PolicyMetrics metrics;
  private final OperandMetrics operandMetrics;
  private final InstantSource clock;

  PolicyReport(
      Caches caches,
      PolicyStatusWriter status,
      FleetStatusWriter fleetStatus,
      PodWatch pods,
      OperatorMetrics metrics,
      InstantSource clock) {
    this.caches = caches;
    this.status = status;
    this.fleetStatus = fleetStatus;
    this.pods = pods;
    this.metrics = metrics.policy();
    this.operandMetrics = new OperandMetrics(metrics.controllers());
    this.clock = clock;
  }

  void noPolicy() {
    metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
  }

  void ignored(GenericKubernetesResource policy, GenericKubernetesResource inForce) {
    status.write(policy, PolicyVerdict.ignored(inForce.getMetadata().getName()));
  }

  /// Nothing was done, as the policy as a whole cannot work.
  Outcome refused(GenericKubernetesResource policy, Problem problem) {
    metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
    metrics.reconcileFailed();
    status.write(policy, PolicyVerdict.failed(problem.message()));
    return Outcome.blocked(problem.reason(), problem.message());
  }

  void begun(ClusterFacts known, ClusterPolicySpec spec) {
    metrics.reconciled();
    metrics.gpuNodes(known.gpuNodes());
    metrics.hasFeatureLabels(known.featureLabels());
    metrics.driverUpgrades(
        Boolean.TRUE.equals(spec.driver().upgradePolicy().autoUpgrade()), UpgradeCounts.NONE);
  }

  /// The plan was carried out, but for what the API server refused.
  Outcome carriedOut(
      GenericKubernetesResource policy,
      PolicyPlan plan,
      ClusterFacts known,
      List<Problem> refused) {
    Function<String, Rollout> rollouts = name -> rollout(policy, name);
    PolicyVerdict verdict =
        refused.isEmpty()
            ? PolicyVerdict.of(plan, known, rollouts)
            : PolicyVerdict.failed(refused.getFirst().message());
    pods.watchWhile(!verdict.isReady());
    List<OperandStatus> progress = OperandProgress.of(plan, rollouts);
    operandMetrics.show(progress);
    count(verdict);
    Duration pause = status.write(policy, verdict);
    if (pause.isPositive()) {
      return Outcome.wait(pause, "progress to report");
    }
    caches
        .fleetPolicies()
        .get("", FLEET)
        .ifPresent(fleet -> fleetStatus.write(fleet, verdict, progress));
    return Outcome.done();
  }

  private Rollout rollout(HasMetadata policy, String daemonSet) {
    return caches
        .daemonSet(daemonSet)
        .filter(live -> Owners.owns(policy, live))
        .map(live -> Rollout.of(live).heldUpBy(pods.cause(daemonSet)))
        .orElseGet(() -> Rollout.unseen(daemonSet));
  }

  private void count(PolicyVerdict verdict) {
    if (verdict.isReady()) {
      metrics.status(ReconciliationStatus.SUCCESS);
      metrics.succeededAt(clock.instant());
    } else {
      metrics.status(ReconciliationStatus.OPERANDS_NOT_READY);
      metrics.reconcileFailed();
    }
  }
}
