package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.node.NodeChange;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.NodePlan;
import dev.pitcrew.operator.node.NodePolicy;
import dev.pitcrew.operator.policy.NodePolicies;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Labels one node at a time after the policy in force.
final class NodeReconciler {
  private static final Logger log = LoggerFactory.getLogger(NodeReconciler.class);

  /// Which policy the labels follow.
  private sealed interface Following {
    /// Not read yet: a node must not lose its labels because nothing is known.
    record Unknown() implements Following {}

    record InForce(NodePolicy policy) implements Following {}

    /// There is none: what one had brought goes.
    record None() implements Following {}
  }

  private final Caches caches;
  private final Applier applier;
  private final Consumer<String> enqueue;
  private final AtomicReference<Following> following =
      new AtomicReference<>(new Following.Unknown());

  /// Labels through `applier`.
  ///
  /// @param enqueue makes a node due, by name
  NodeReconciler(Caches caches, Applier applier, Consumer<String> enqueue) {
    this.caches = caches;
    this.applier = applier;
    this.enqueue = enqueue;
  }

  /// Takes up the policy in force; empty takes the labels away that a policy had brought.
  void follow(Optional<ClusterPolicySpec> spec) {
    Following next =
        spec.map(NodePolicies::of)
            .<Following>map(Following.InForce::new)
            .orElseGet(Following.None::new);
    if (!next.equals(following.getAndSet(next))) {
      caches.nodes().stream().map(node -> node.getMetadata().getName()).forEach(enqueue);
    }
  }

  Outcome reconcile(String name) {
    caches
        .nodes()
        .get("", name)
        .ifPresent(node -> {
          NodeChange change = change(NodeFacts.of(node));
          change.warnings().forEach(log::warn);
          if (!change.isEmpty()) {
            applier.patchMetadata(node, change.labels(), change.annotations());
          }
        });
    return Outcome.done();
  }

  private NodeChange change(NodeFacts node) {
    return switch (following.get()) {
      case Following.Unknown _ -> NodeChange.NONE;
      case Following.InForce(NodePolicy policy) -> NodePlan.plan(node, policy);
      case Following.None _ -> NodePlan.cleanup(node);
    };
  }
}
