package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import dev.pitcrew.operator.node.NodePolicy;
import dev.pitcrew.operator.policy.NodePolicies;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Labels one node at a time after the policy in force.
final class NodeReconciler {
  private static final Logger log = LoggerFactory.getLogger(NodeReconciler.class);

  private final Caches caches;
  private final Applier applier;
  private final Consumer<String> enqueue;

  /// Null until the policies have been read once: a node must not lose its labels because nothing is known yet.
  private final AtomicReference<@Nullable Optional<NodePolicy>> policy = new AtomicReference<>();

  /// @param enqueue makes a node due, by name
  NodeReconciler(Caches caches, Applier applier, Consumer<String> enqueue) {
    this.caches = caches;
    this.applier = applier;
    this.enqueue = enqueue;
  }

  /// Takes up the policy in force; empty takes the labels away that a policy had brought.
  void follow(Optional<ClusterPolicySpec> spec) {
    Optional<NodePolicy> next = spec.map(NodePolicies::of);
    if (!next.equals(policy.getAndSet(next))) {
      caches.nodes().stream().map(node -> node.getMetadata().getName()).forEach(enqueue);
    }
  }

  Outcome reconcile(String name) {
    @Nullable Optional<NodePolicy> current = policy.get();
    Optional<Node> node = caches.nodes().get("", name);
    if (current == null || node.isEmpty()) {
      return Outcome.done();
    }
    NodeFacts facts = NodeFacts.of(node.get());
    NodeChange change =
        current.map(wanted -> NodePlan.plan(facts, wanted)).orElseGet(() -> NodePlan.cleanup(facts));
    change.warnings().forEach(log::warn);
    if (!change.isEmpty()) {
      applier.patchMetadata(node.get(), change.labels(), change.annotations());
    }
    return Outcome.done();
  }
}
