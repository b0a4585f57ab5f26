package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.AgentInForce;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.policy.PolicyGuard;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.Pruning;
import dev.pitcrew.operator.policy.TakeoverPlan;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.runtime.upgrade.DriverUpgrades;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the cluster to what the ClusterPolicy in force says.
final class PolicyReconciler {
  /// How long to wait before the caches are looked at again; the API server is not asked for it.
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(1);

  private static final String UPGRADE_POLICY = "spec.driver.upgradePolicy";

  private static final Logger log = LoggerFactory.getLogger(PolicyReconciler.class);

  private final Caches caches;
  private final Planning planning;
  private final ObjectApply objects;
  private final NodeReconciler nodes;
  private final DriverUpgrades upgrades;
  private final PolicyReport report;

  PolicyReconciler(
      Caches caches,
      Planning planning,
      ObjectApply objects,
      NodeReconciler nodes,
      DriverUpgrades upgrades,
      PolicyReport report) {
    this.caches = caches;
    this.planning = planning;
    this.objects = objects;
    this.nodes = nodes;
    this.upgrades = upgrades;
    this.report = report;
  }

  Outcome reconcile() {
    Optional<String> unknown = planning.unknown();
    if (unknown.isPresent()) {
      log.info("waiting: {}", unknown.get());
      return Outcome.wait(UNTIL_KNOWN, unknown.get());
    }
    try {
      Optional<GenericKubernetesResource> inForce = PolicyInForce.of(caches.policies().all());
      return inForce.isPresent() ? reconcile(inForce.get()) : withoutPolicy();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.failed(e);
    }
  }

  private Outcome withoutPolicy() throws InterruptedException {
    boolean isOfGpuCluster = !caches.gpuClusters().all().isEmpty();
    report.noPolicy(isOfGpuCluster);
    if (!isOfGpuCluster) {
      nodes.followNone(hasAgents());
    }
    objects.handOver(HandOver.begun(caches.daemonSets().all()));
    return Outcome.done();
  }

  private Outcome reconcile(GenericKubernetesResource policy) throws InterruptedException {
    ignoreOthers(policy);
    try {
      ClusterPolicySpec spec = planning.read(policy);
      Optional<Problem> problem = guard(spec);
      if (problem.isPresent()) {
        if (caches.gpuClusters().all().isEmpty()) { // else nodes stay as they are
          nodes.followUnlessFollowing(spec);
        }
        if (isUpgradePolicyKnown()) {
          upgrade(spec);
        }
        return report.refused(policy, problem.get());
      }
      return carryOut(policy, spec);
    } catch (UnreadableResource e) {
      return report.refused(
          policy,
          new Problem("SpecInvalid", Objects.requireNonNullElse(e.getMessage(), "unreadable")));
    } catch (RuntimeException e) {
      // Interrupted work reports no result: the operator that continues reports it.
      return Thread.currentThread().isInterrupted() ? Outcome.failed(e) : report.failed(policy, e);
    }
  }

  private Outcome carryOut(GenericKubernetesResource policy, ClusterPolicySpec spec)
      throws InterruptedException {
    Set<String> kinds = caches.ownedKinds();
    TakeoverPlan providers = planning.takeover(spec);
    RenderContext context = planning.context(spec, providers);
    PolicyPlan plan = planning.plan(policy, context, providers);
    report.begun(context);
    List<Unapplied> unapplied = apply(plan, context, providers);
    Collection<HasMetadata> owned = caches.ownedBy(policy, kinds);
    objects.handOver(HandOver.of(plan, owned));
    objects.delete(Pruning.unwanted(plan, owned, keys(unapplied)));
    return report.carriedOut(
        policy, plan, context.facts(), unapplied, upgrading(spec), fieldsThatAgentsLack(plan));
  }

  private Set<String> fieldsThatAgentsLack(PolicyPlan plan) {
    return wantsAgents(plan)
        ? Definitions.missingFields(Definitions.ofGpuNodes(caches))
        : Collections.emptySet();
  }

  private static Set<ObjectKey> keys(List<Unapplied> unapplied) {
    return unapplied.stream().map(Unapplied::object).collect(Collectors.toSet());
  }

  private SortedMap<String, String> upgrading(ClusterPolicySpec spec) {
    return spec.driver().isLeftToNvidiaDrivers()
        ? OwnedUpgrades.unfinished(caches.nodes().stream())
        : Collections.emptySortedMap();
  }

  /// A few dozen objects go before the labels of perhaps thousands of nodes; the labels follow
  /// whatever comes of the objects.
  private List<Unapplied> apply(PolicyPlan plan, RenderContext context, TakeoverPlan providers)
      throws InterruptedException {
    try {
      var unapplied = new ArrayList<Unapplied>();
      objects.labelNamespace(context).ifPresent(unapplied::add);
      unapplied.addAll(objects.apply(plan));
      return unapplied;
    } finally {
      nodes.follow(
          context.spec(),
          providers.moves(),
          hasAgents() || wantsAgents(plan)
              ? Optional.of(AgentInForce.placement(providers.agent()))
              : Optional.empty());
      upgrade(context.spec());
    }
  }

  /// A policy beside a GPUCluster does not run the cluster. If the API server drops fields of a
  /// policy, what it says of upgrades is unknown.
  private boolean isUpgradePolicyKnown() {
    return caches.gpuClusters().all().isEmpty()
        && Definitions.missingFields(Definitions.ofPolicies(caches)).stream()
            .noneMatch(field -> field.startsWith(UPGRADE_POLICY));
  }

  /// Nodes that have begun go on whatever is wrong with the rest of the policy.
  private void upgrade(ClusterPolicySpec spec) {
    if (!spec.driver().isLeftToNvidiaDrivers()) {
      upgrades.follow(UpgradeScope.of(spec));
    }
  }

  private boolean hasAgents() {
    return caches.daemonSet(Agent.NAME).isPresent();
  }

  /// Its DaemonSet may have been applied and not be seen yet.
  private static boolean wantsAgents(PolicyPlan plan) {
    return plan.daemonSets().stream().anyMatch(it -> it.getMetadata().getName().equals(Agent.NAME));
  }

  private Optional<Problem> guard(ClusterPolicySpec spec) {
    if (!caches.gpuClusters().all().isEmpty()) {
      String name = caches.gpuClusters().all().iterator().next().getMetadata().getName();
      return Optional.of(
          new Problem(
              "GPUClusterPresent",
              "GPUCluster %1$s exists, and a ClusterPolicy and a GPUCluster may not exist at the same time: kubectl delete gpucluster %1$s, or delete this ClusterPolicy"
                  .formatted(name)));
    }
    return PolicyGuard.problem(spec).or(this::outdatedDefinition);
  }

  private Optional<Problem> outdatedDefinition() {
    Set<String> missing = Definitions.missingFields(Definitions.ofPolicies(caches));
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "DefinitionOutdated",
                "the CustomResourceDefinition clusterpolicies.nvidia.com of this cluster lacks "
                    + String.join(", ", missing)
                    + ", so the API server drops these fields: apply the definitions of this release (pitcrew manage-crds apply)"));
  }

  private void ignoreOthers(GenericKubernetesResource inForce) {
    for (GenericKubernetesResource policy : caches.policies().all()) {
      if (!policy.getMetadata().getUid().equals(inForce.getMetadata().getUid())) {
        report.ignored(policy, inForce);
      }
    }
  }
}
