package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.PolicyMetrics;
import dev.pitcrew.operator.metrics.ReconciliationStatus;
import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.AgentInForce;
import dev.pitcrew.operator.policy.NamespaceLabels;
import dev.pitcrew.operator.policy.OperandProgress;
import dev.pitcrew.operator.policy.PolicyGuard;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.PolicyVerdict;
import dev.pitcrew.operator.policy.Pruning;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Brings the cluster to what the ClusterPolicy in force says.
final class PolicyReconciler {
  private static final String FLEET = "fleet";

  private final Caches caches;
  private final FactGathering facts;
  private final Images images;
  private final Applier applier;
  private final ObjectApply objects;
  private final PolicyStatusWriter status;
  private final FleetStatusWriter fleetStatus;
  private final OperandMetrics operandMetrics;
  private final NodeReconciler nodes;
  private final PodWatch pods;
  private final PolicyMetrics metrics;
  private final InstantSource clock;

  PolicyReconciler(
      Caches caches,
      FactGathering facts,
      Images images,
      Applier applier,
      PolicyStatusWriter status,
      NodeReconciler nodes,
      PodWatch pods,
      OperatorMetrics metrics,
      InstantSource clock) {
    this.caches = caches;
    this.facts = facts;
    this.images = images;
    this.applier = applier;
    this.objects = new ObjectApply(applier, caches);
    this.status = status;
    this.nodes = nodes;
    this.pods = pods;
    this.metrics = metrics.policy();
    this.operandMetrics = new OperandMetrics(metrics.controllers());
    this.fleetStatus = new FleetStatusWriter(applier, clock);
    this.clock = clock;
  }

  Outcome reconcile() {
    Optional<GenericKubernetesResource> inForce = PolicyInForce.of(caches.policies().all());
    if (inForce.isEmpty()) {
      metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
      if (caches.gpuClusters().all().isEmpty()) {
        nodes.follow(Optional.empty());
      }
      return Outcome.done();
    }
    ignoreOthers(inForce.get());
    return reconcile(inForce.get());
  }

  private Outcome reconcile(GenericKubernetesResource policy) {
    try {
      ClusterPolicySpec spec = read(policy);
      nodes.follow(Optional.of(spec));
      Optional<Problem> problem = guard(spec);
      return problem.isPresent() ? refuse(policy, problem.get()) : carryOut(policy, spec);
    } catch (UnreadableResource e) {
      return refuse(
          policy,
          new Problem("SpecInvalid", Objects.requireNonNullElse(e.getMessage(), "unreadable")));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.failed(e);
    }
  }

  private Outcome carryOut(GenericKubernetesResource policy, ClusterPolicySpec spec)
      throws InterruptedException {
    ClusterFacts known = facts.gather(spec);
    var context = new RenderContext(spec, known, images);
    PolicyPlan plan = PolicyPlan.of(context, agent());
    count(known, spec);
    labelNamespace(context);
    var refused = new ArrayList<>(objects.apply(plan.resources(), policy));
    refused.addAll(objects.apply(plan.daemonSets(), policy));
    objects.delete(Pruning.unwanted(plan, caches.ownedBy(policy)));
    PolicyVerdict verdict =
        refused.isEmpty()
            ? PolicyVerdict.of(plan, known, name -> rollout(policy, name))
            : PolicyVerdict.failed(refused.getFirst().message());
    pods.watchWhile(!verdict.isReady());
    Duration pause = status.write(policy, verdict);
    List<OperandStatus> progress = OperandProgress.of(plan, name -> rollout(policy, name));
    if (!pause.isPositive()) {
      caches
          .fleetPolicies()
          .get("", FLEET)
          .ifPresent(fleet -> fleetStatus.write(fleet, verdict, progress));
    }
    operandMetrics.show(progress);
    count(verdict);
    return pause.isPositive() ? Outcome.wait(pause, "progress to report") : Outcome.done();
  }

  private Optional<Problem> guard(ClusterPolicySpec spec) {
    if (!caches.gpuClusters().all().isEmpty()) {
      String name = caches.gpuClusters().all().iterator().next().getMetadata().getName();
      return Optional.of(
          new Problem(
              "GPUClusterPresent",
              "GPUCluster "
                  + name
                  + " exists: a ClusterPolicy and a GPUCluster cannot both run a cluster; delete one of them"));
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

  private Outcome refuse(GenericKubernetesResource policy, Problem problem) {
    metrics.status(ReconciliationStatus.POLICY_UNAVAILABLE);
    metrics.reconcileFailed();
    status.write(policy, PolicyVerdict.failed(problem.message()));
    return Outcome.blocked(problem.reason(), problem.message());
  }

  private void ignoreOthers(GenericKubernetesResource inForce) {
    for (GenericKubernetesResource policy : caches.policies().all()) {
      if (!policy.getMetadata().getUid().equals(inForce.getMetadata().getUid())) {
        status.write(policy, PolicyVerdict.ignored(inForce.getMetadata().getName()));
      }
    }
  }

  private void labelNamespace(RenderContext context) {
    caches
        .ownNamespace()
        .get("", context.namespace())
        .ifPresent(namespace -> {
          Map<String, String> present =
              Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.of());
          Map<String, @Nullable String> missing =
              new HashMap<>(NamespaceLabels.missing(context, present));
          if (!missing.isEmpty()) {
            applier.patchMetadata(namespace, missing, Map.of());
          }
        });
  }

  private AgentSpec agent() {
    Optional<JsonNode> fleetPolicy = caches.fleetPolicies().get("", FLEET).map(Documents::tree);
    return AgentInForce.of(fleetPolicy, caches.daemonSet(Agent.NAME));
  }

  private Rollout rollout(HasMetadata policy, String daemonSet) {
    return caches
        .daemonSet(daemonSet)
        .filter(live -> Owners.owns(policy, live))
        .map(live -> Rollout.of(live).heldUpBy(pods.cause(daemonSet)))
        .orElseGet(() -> Rollout.unseen(daemonSet));
  }

  private void count(ClusterFacts known, ClusterPolicySpec spec) {
    metrics.reconciled();
    metrics.gpuNodes(known.gpuNodes());
    metrics.hasFeatureLabels(known.featureLabels());
    metrics.driverUpgrades(
        Boolean.TRUE.equals(spec.driver().upgradePolicy().autoUpgrade()), UpgradeCounts.NONE);
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

  private static ClusterPolicySpec read(GenericKubernetesResource policy) {
    return ApiJson.read(Documents.tree(policy), ClusterPolicy.class).spec();
  }
}
