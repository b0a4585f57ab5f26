package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.AgentInForce;
import dev.pitcrew.operator.policy.NamespaceLabels;
import dev.pitcrew.operator.policy.PolicyGuard;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.Pruning;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Brings the cluster to what the ClusterPolicy in force says.
final class PolicyReconciler {
  private final Caches caches;
  private final FactGathering facts;
  private final Images images;
  private final Applier applier;
  private final ObjectApply objects;
  private final NodeReconciler nodes;
  private final PolicyReport report;

  PolicyReconciler(
      Caches caches,
      FactGathering facts,
      Images images,
      Applier applier,
      NodeReconciler nodes,
      PolicyReport report) {
    this.caches = caches;
    this.facts = facts;
    this.images = images;
    this.applier = applier;
    this.objects = new ObjectApply(applier, caches);
    this.nodes = nodes;
    this.report = report;
  }

  Outcome reconcile() {
    Optional<GenericKubernetesResource> inForce = PolicyInForce.of(caches.policies().all());
    if (inForce.isEmpty()) {
      report.noPolicy();
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
      return problem.isPresent() ? report.refused(policy, problem.get()) : carryOut(policy, spec);
    } catch (UnreadableResource e) {
      return report.refused(
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
    report.begun(known, spec);
    labelNamespace(context);
    var refused = new ArrayList<>(objects.apply(plan.resources(), policy));
    refused.addAll(objects.apply(plan.daemonSets(), policy));
    objects.delete(Pruning.unwanted(plan, caches.ownedBy(policy)));
    return report.carriedOut(policy, plan, known, refused);
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

  private void ignoreOthers(GenericKubernetesResource inForce) {
    for (GenericKubernetesResource policy : caches.policies().all()) {
      if (!policy.getMetadata().getUid().equals(inForce.getMetadata().getUid())) {
        report.ignored(policy, inForce);
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
    Optional<JsonNode> fleetPolicy =
        caches.fleetPolicies().get("", PolicyReport.FLEET).map(Documents::tree);
    return AgentInForce.of(fleetPolicy, caches.daemonSet(Agent.NAME));
  }

  private static ClusterPolicySpec read(GenericKubernetesResource policy) {
    return ApiJson.read(Documents.tree(policy), ClusterPolicy.class).spec();
  }
}
