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
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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
  private final Runnable labelled;
  private final Set<String> due = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Following> following =
      new AtomicReference<>(new Following.Unknown());

  /// Labels through `applier`.
  ///
  /// @param enqueue hands a node to the workers, by name
  /// @param labelled run when all nodes have their labels
  NodeReconciler(Caches caches, Applier applier, Consumer<String> enqueue, Runnable labelled) {
    this.caches = caches;
    this.applier = applier;
    this.enqueue = enqueue;
    this.labelled = labelled;
  }

  /// Makes a node due, by name.
  void wake(String name) {
    due.add(name);
    enqueue.accept(name);
  }

  /// Nodes that have not been seen with all their labels yet.
  SortedSet<String> due() {
    return new TreeSet<>(due);
  }

  /// Takes up the policy in force; empty takes the labels away that a policy had brought.
  void follow(Optional<ClusterPolicySpec> spec) {
    Following next =
        spec.map(NodePolicies::of)
            .<Following>map(Following.InForce::new)
            .orElseGet(Following.None::new);
    if (!next.equals(following.getAndSet(next))) {
      caches.nodes().stream().map(node -> node.getMetadata().getName()).forEach(this::wake);
    }
  }

  Outcome reconcile(String name) {
    boolean changed = caches.nodes().get("", name).filter(this::label).isPresent();
    if (changed) {
      due.add(name);
    } else if (due.remove(name) && due.isEmpty()) {
      labelled.run();
    }
    return Outcome.done();
  }

  /// Writes what differs.
  ///
  /// @return whether anything did: the change will then be seen in the cache, and looked at again
  private boolean label(Node node) {
    NodeChange change = change(NodeFacts.of(node));
    change.warnings().forEach(log::warn);
    if (!change.isEmpty()) {
      applier.patchMetadata(node, change.labels(), change.annotations());
    }
    return !change.isEmpty();
  }

  private NodeChange change(NodeFacts node) {
    return switch (following.get()) {
      case Following.Unknown _ -> NodeChange.NONE;
      case Following.InForce(NodePolicy policy) -> NodePlan.plan(node, policy);
      case Following.None _ -> NodePlan.cleanup(node);
    };
  }
}
