package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.policy.SuitableNodes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How far the DaemonSets of a plan have come, as the caches show it.
final class Rollouts {
  private final Caches caches;
  private final Applier applier;
  private final PodWatch pods;
  private final DriverPods driverPods;

  Rollouts(Caches caches, Applier applier, PodWatch pods, DriverPods driverPods) {
    this.caches = caches;
    this.applier = applier;
    this.pods = pods;
    this.driverPods = driverPods;
  }

  /// One rollout for each DaemonSet that the plan wants, by name.
  Map<String, Rollout> of(HasMetadata policy, PolicyPlan plan) {
    return of(policy, plan.daemonSets());
  }

  /// The same for DaemonSets of any owner.
  Map<String, Rollout> of(HasMetadata policy, List<? extends HasMetadata> daemonSets) {
    var rollouts = new HashMap<String, Rollout>();
    for (HasMetadata daemonSet : daemonSets) {
      String name = daemonSet.getMetadata().getName();
      rollouts.put(name, of(policy, name));
    }
    return rollouts;
  }

  /// Whether driver pods are to be looked at, since some are not of the newest template.
  boolean hasOlderDrivers(Collection<Rollout> rollouts) {
    return rollouts.stream()
        .anyMatch(it ->
            it.hasOlderPods()
                && caches.daemonSet(it.name()).flatMap(Adoption::digestOf).isPresent());
  }

  /// Watches pods from now on as long as they show what no other object shows.
  ///
  /// @param unexplained whether something is not ready, and why is to be said
  /// @param older whether driver pods run that are not of the newest template
  void watchWhile(boolean unexplained, boolean older) {
    pods.watchWhile(unexplained);
    driverPods.watchWhile(older);
  }

  /// Whether a pod of a DaemonSet has found no node, as far as is known yet; nothing is while
  /// causes are not looked for.
  boolean hasPodWithoutNode(String daemonSet) {
    return pods.cause(daemonSet).filter(cause -> cause.node().isEmpty()).isPresent();
  }

  private Rollout of(HasMetadata policy, String daemonSet) {
    return caches
        .daemonSet(daemonSet)
        .filter(live -> Owners.owns(policy, live) && !applier.isAheadOf(live))
        .map(live ->
            Rollout.of(live, suitable(live))
                .withSameDriver(driverPods.upToDate(live))
                .heldUpBy(pods.cause(daemonSet)))
        .orElseGet(() -> Rollout.unseen(daemonSet));
  }

  private SuitableNodes suitable(DaemonSet live) {
    return SuitableNodes.of(live.getSpec().getTemplate().getSpec(), caches.nodes().all());
  }
}
