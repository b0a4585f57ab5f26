package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.PolicyMetrics;
import dev.pitcrew.operator.metrics.ReconciliationStatus;
import dev.pitcrew.operator.policy.ApplyFailure;
import dev.pitcrew.operator.policy.OperandProgress;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.PolicyVerdict;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Reports the result of a reconcile: the status of the policies, the FleetPolicy, metrics. It
/// watches pods while something is not ready, to say why.
final class PolicyReport {
  static final String FLEET = "fleet";

  private final Rollouts rollouts;
  private final NodeReconciler nodes;
  private final PolicyStatusWriter status;
  private final FleetStatusWriter fleetStatus;
  private final PolicyMetrics metrics;
  private final OperandMetrics operandMetrics;
  private final HostDrivers hostDrivers;
  private final Supplier<Optional<String>> otherInstallation;
  private final InstantSource clock;
  private final ProgressDebounce debounce = new ProgressDebounce();
  private List<OperandStatus> progress = List.of();

  /// @param otherInstallation namespace and holder of the lease of another operator that acts
  PolicyReport(
      Rollouts rollouts,
      NodeReconciler nodes,
      PolicyStatusWriter status,
      FleetStatusWriter fleetStatus,
      OperatorMetrics metrics,
      HostDrivers hostDrivers,
      Supplier<Optional<String>> otherInstallation,
      InstantSource clock) {
    this.hostDrivers = hostDrivers;
    this.otherInstallation = otherInstallation;
    this.rollouts = rollouts;
    this.nodes = nodes;
    this.status = status;
    this.fleetStatus = fleetStatus;
    this.metrics = metrics.policy();
    this.operandMetrics = new OperandMetrics(metrics.controllers());
    this.clock = clock;
  }

  /// @param isOfGpuCluster whether a GPUCluster runs the cluster
  void noPolicy(boolean isOfGpuCluster) {
    rollouts.watchWhile(false, false);
    debounce.end();
    if (!isOfGpuCluster) {
      fleetStatus.takeNoPolicy();
    }
    metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
  }

  void ignored(GenericKubernetesResource policy, GenericKubernetesResource inForce) {
    status.write(policy, PolicyVerdict.ignored(inForce.getMetadata().getName()), List.of(), true);
  }

  /// Nothing was done, as the policy as a whole cannot work.
  Outcome refused(GenericKubernetesResource policy, Problem problem) {
    metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
    metrics.reconcileFailed();
    rollouts.watchWhile(false, false);
    PolicyVerdict verdict = PolicyVerdict.failed(problem.message());
    write(policy, verdict, List.of(), debounce.takeIn(verdict, clock.instant()));
    return Outcome.blocked(problem.reason(), problem.message());
  }

  void begun(RenderContext context) {
    metrics.reconciled();
    metrics.hasFeatureLabels(context.facts().featureLabels());
    metrics.driverToolkit(ToolkitState.of(context));
  }

  /// Something failed that the rest of the reconcile could not do without.
  Outcome failed(GenericKubernetesResource policy, RuntimeException cause) {
    metrics.status(ReconciliationStatus.OPERATOR_ERROR);
    metrics.reconcileFailed();
    PolicyVerdict verdict =
        PolicyVerdict.failed(
            ApplyFailure.later(Objects.requireNonNullElse(cause.getMessage(), cause.toString())));
    try {
      write(policy, verdict, List.of(), debounce.takeIn(verdict, clock.instant()));
    } catch (RuntimeException e) { // most likely for the same reason
      cause.addSuppressed(e);
    }
    return Outcome.failed(cause);
  }

  /// The plan was carried out, but for what could not be applied.
  ///
  /// @param upgrading nodes of NVIDIADrivers that do not have their driver yet, by name, and their
  ///   state
  /// @param unreportable fields of GPUNodes that the cluster's definition lacks, where agents run
  Outcome carriedOut(
      GenericKubernetesResource policy,
      PolicyPlan plan,
      ClusterFacts known,
      List<Unapplied> unapplied,
      SortedMap<String, String> upgrading,
      Set<String> unreportable) {
    Map<String, Rollout> seen = rollouts.of(policy, plan);
    Function<String, Rollout> byName = name -> seen.getOrDefault(name, Rollout.unseen(name));
    Optional<String> other = otherInstallation.get();
    PolicyVerdict own =
        unapplied.isEmpty()
            ? PolicyVerdict.of(plan, known, byName)
                .afterLabelling(nodes.due())
                .afterUpgrading(upgrading)
                .withReports(unreportable)
            : PolicyVerdict.failed(Unapplied.message(unapplied));
    PolicyVerdict verdict = other.map(PolicyVerdict::beside).orElse(own);
    boolean emits = debounce.takeIn(verdict, clock.instant());
    Duration untilLasting = debounce.remaining(clock.instant());
    rollouts.watchWhile(
        !verdict.isReady() && untilLasting.isZero(), rollouts.hasOlderDrivers(seen.values()));
    progress = OperandProgress.of(plan, byName);
    operandMetrics.show(progress);
    count(verdict);
    if (untilLasting.isPositive() && isRipple(policy, verdict, seen.values())) {
      return Outcome.wait(untilLasting, "whether what is not ready lasts");
    }
    Duration pause = write(policy, verdict, unapplied, emits);
    return next(untilLasting, pause, Unapplied.untilRetry(unapplied, clock.instant()));
  }

  /// @return how long to wait before the newest progress may be written, or zero
  private Duration write(
      GenericKubernetesResource policy,
      PolicyVerdict verdict,
      List<Unapplied> unapplied,
      boolean emits) {
    List<Condition> notices =
        Stream.of(
                hostDrivers.condition(policy, policy.getKind()).stream(),
                contested(policy, unapplied).stream())
            .flatMap(it -> it)
            .toList();
    Duration pause = status.write(policy, verdict, notices, emits);
    if (!pause.isPositive()) {
      debounce.written(verdict, emits);
    }
    fleetStatus.take(verdict, progress);
    return pause;
  }

  /// Whether an object of the policy is contested; empty where none has ever been, and to keep what
  /// was said before while another operator acts, whose every write would change the message.
  private Optional<Condition> contested(
      GenericKubernetesResource policy, List<Unapplied> unapplied) {
    if (otherInstallation.get().isPresent()) {
      return Optional.empty();
    }
    long generation = policy.getMetadata().getGeneration();
    return unapplied.stream()
        .map(Unapplied::problem)
        .filter(problem -> problem.reason().equals(ApplyFailure.CONTESTED))
        .findFirst()
        .map(problem ->
            Conditions.of(
                ApplyFailure.CONTESTED, "True", problem.reason(), problem.message(), generation))
        .or(() ->
            StatusConditions.of(policy).stream()
                .filter(it -> it.getType().equals(ApplyFailure.CONTESTED))
                .findFirst()
                .map(_ ->
                    Conditions.of(
                        ApplyFailure.CONTESTED, "False", "NoneContested", "", generation)));
  }

  /// Pods of a policy that is ready are being replaced, or come up on nodes that join: everything
  /// is as it should be but for a moment.
  private static boolean isRipple(
      GenericKubernetesResource policy, PolicyVerdict verdict, Collection<Rollout> rollouts) {
    long generation = policy.getMetadata().getGeneration();
    return verdict.isProgress()
        && rollouts.stream().allMatch(Rollout::current)
        && StatusConditions.of(policy).stream()
            .anyMatch(condition ->
                condition.getType().equals("Ready")
                    && condition.getStatus().equals("True")
                    && Objects.equals(condition.getObservedGeneration(), generation));
  }

  private static Outcome next(Duration... waits) {
    return Stream.of(waits)
        .filter(Duration::isPositive)
        .min(Comparator.naturalOrder())
        .map(wait -> Outcome.wait(wait, "progress to report"))
        .orElseGet(Outcome::done);
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
