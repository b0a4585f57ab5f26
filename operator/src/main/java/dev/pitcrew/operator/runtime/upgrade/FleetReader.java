package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.kube.cache.Cache;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads fleets, and single nodes of them, from what is watched and what was written.
final class FleetReader {
  private final UpgradeSources sources;
  private final NodeWrites writes;
  private final Cache<DaemonSet> daemonSets;
  private final Set<String> deleted;
  private final GpuClaims claims;
  private final EvictionAttempts evictions;
  private final Readings readings = new Readings();

  /// @param deleted uids of driver pods that were deleted and may not show it yet
  FleetReader(
      UpgradeSources sources,
      NodeWrites writes,
      Cache<DaemonSet> daemonSets,
      Set<String> deleted,
      GpuClaims claims,
      EvictionAttempts evictions) {
    this.sources = sources;
    this.writes = writes;
    this.daemonSets = daemonSets;
    this.deleted = deleted;
    this.claims = claims;
    this.evictions = evictions;
  }

  /// All nodes. For use by one thread at a time.
  FleetReading all(UpgradeSources.Open open) {
    return reading(open, writes.nodes());
  }

  /// Nothing but one node, while it is being worked on.
  Optional<FleetReading> underWay(String name) {
    Optional<Node> node = writes.node(name).filter(FleetReading::isUnderWay);
    return sources
        .now()
        .filter(UpgradeSources.Open::isSynced)
        .flatMap(open -> node.map(it -> reading(open, Map.of(name, it))));
  }

  boolean isUnderWay(String node) {
    return writes.node(node).filter(FleetReading::isUnderWay).isPresent();
  }

  /// How the pods of nodes are read where this policy is in force.
  NodePodReading pods(UpgradePolicySpec policy) {
    return NodePodReading.of(policy, claims::holdsGpu, evictions);
  }

  /// Forgets all nodes and all pods, by uid, but these.
  void keep(Set<String> nodes, Set<String> pods) {
    readings.keep(nodes);
    claims.keep(pods);
  }

  private FleetReading reading(UpgradeSources.Open open, Map<String, Node> nodes) {
    return FleetReading.of(open, nodes, daemonSets, deleted, readings);
  }
}
