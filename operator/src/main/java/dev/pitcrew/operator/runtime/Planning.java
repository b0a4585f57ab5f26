package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.policy.Ownership;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.TakeoverPlan;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Makes the plan of a policy. While a roll-out runs the operator is woken by every pod that gets
/// ready, so a plan is kept and given again until something that it was made from is different.
///
/// For use by one thread at a time.
final class Planning {
  private record Read(String uid, long generation, ClusterPolicySpec spec) {}

  private record Made(
      String uid, RenderContext context, AgentSpec agent, AgentOrders orders, PolicyPlan plan) {}

  private final Caches caches;
  private final FactGathering facts;
  private final AgentTakeover takeover;
  private final Images images;
  private @Nullable Read read;
  private @Nullable Made made;

  Planning(Caches caches, FactGathering facts, AgentTakeover takeover, Images images) {
    this.caches = caches;
    this.facts = facts;
    this.takeover = takeover;
    this.images = images;
  }

  /// The specification of a policy.
  ///
  /// @throws UnreadableResource naming the field that cannot be read
  ClusterPolicySpec read(GenericKubernetesResource policy) {
    String uid = policy.getMetadata().getUid();
    long generation = policy.getMetadata().getGeneration();
    if (read == null || !read.uid().equals(uid) || read.generation() != generation) {
      var spec = ApiJson.read(Documents.tree(policy), ClusterPolicy.class).spec();
      read = new Read(uid, generation, spec);
    }
    return read.spec();
  }

  /// What has to be known before a plan can be made, if it is not.
  Optional<String> unknown() {
    if (caches.isDoubtful()) {
      return Optional.of(
          "the API server serves none of a kind of ours that it has a definition of");
    }
    return facts.isComplete()
        ? Optional.empty()
        : Optional.of("the API server has not yet listed the objects that describe OpenShift");
  }

  /// Who provides what on which node.
  TakeoverPlan takeover(ClusterPolicySpec spec) {
    return takeover.plan(spec);
  }

  /// All else that the plan of a policy is made from, as the caches have it now.
  RenderContext context(ClusterPolicySpec spec, TakeoverPlan providers) {
    return new RenderContext(spec, facts.gather(spec, providers.agents()), images);
  }

  /// The plan, whose objects are owned by the policy.
  PolicyPlan plan(GenericKubernetesResource policy, RenderContext context, TakeoverPlan providers) {
    String uid = policy.getMetadata().getUid();
    AgentSpec agent = providers.agent();
    AgentOrders orders = AgentOrders.of(caches.fleetPolicy()).handingBack(providers.handingBack());
    if (made == null
        || !made.uid().equals(uid)
        || !made.context().equals(context)
        || !made.agent().equals(agent)
        || !made.orders().equals(orders)) {
      PolicyPlan plan = PolicyPlan.of(context, agent, orders);
      plan.resources().forEach(object -> Ownership.own(object, policy));
      plan.daemonSets().forEach(object -> Ownership.own(object, policy));
      made = new Made(uid, context, agent, orders, plan);
    }
    return made.plan();
  }
}
