package dev.pitcrew.operator.computedomain;

import dev.pitcrew.api.computedomain.CliqueDaemon;
import dev.pitcrew.api.computedomain.ComputeDomainClique;
import dev.pitcrew.api.computedomain.ComputeDomainNode;
import dev.pitcrew.api.computedomain.ComputeDomainStatus;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What the status of a ComputeDomain is to say: its nodes as its cliques have them, and those
/// without a fabric as their pods are.
///
/// @param nodes by name; the definition takes each name once
public record DomainStatus(String status, List<ComputeDomainNode> nodes) {
  private static final String READY = "Ready";
  private static final String NOT_READY = "NotReady";

  /// Of a node without a fabric.
  private static final long NO_INDEX = -1;

  public DomainStatus {
    nodes = List.copyOf(nodes);
  }

  /// @param cliques of this domain
  /// @param pods of the daemons of this domain
  public static DomainStatus of(
      Domain domain, Collection<ComputeDomainClique> cliques, Collection<DaemonPod> pods) {
    var nodes = new TreeMap<String, ComputeDomainNode>();
    pods.stream()
        .filter(DaemonPod::isWithoutFabric)
        .sorted(Comparator.comparing(DaemonPod::isReady).thenComparing(DaemonPod::address))
        .forEach(pod -> nodes.put(pod.node(), withoutFabric(pod)));
    cliques.stream()
        .flatMap(clique -> clique.daemons().stream())
        .sorted(
            Comparator.<CliqueDaemon, Boolean>comparing(daemon -> isOfPod(daemon, pods))
                .thenComparing(CliqueDaemon::cliqueID, Comparator.reverseOrder()))
        .forEach(daemon -> nodes.put(daemon.nodeName(), ofClique(daemon, pods)));
    boolean isReady =
        nodes.size() >= domain.numNodes()
            && nodes.values().stream().allMatch(node -> READY.equals(node.status()));
    return new DomainStatus(isReady ? READY : NOT_READY, List.copyOf(nodes.values()));
  }

  private static ComputeDomainNode withoutFabric(DaemonPod pod) {
    return new ComputeDomainNode(
        pod.node(), pod.address(), "", NO_INDEX, pod.isReady() ? READY : NOT_READY, Map.of());
  }

  /// The daemon of a lost node leaves its entry as it was; Kubernetes reports its pod as not ready
  /// then.
  private static ComputeDomainNode ofClique(CliqueDaemon daemon, Collection<DaemonPod> pods) {
    boolean isLost =
        pods.stream().anyMatch(pod -> pod.node().equals(daemon.nodeName()))
            && pods.stream()
                .filter(pod -> pod.node().equals(daemon.nodeName()))
                .noneMatch(DaemonPod::isReady);
    return new ComputeDomainNode(
        daemon.nodeName(),
        daemon.ipAddress(),
        daemon.cliqueID(),
        daemon.index(),
        isLost || !READY.equals(daemon.status()) ? NOT_READY : READY,
        Map.of());
  }

  /// A node that has changed its clique may be in two until the former entry is removed.
  private static boolean isOfPod(CliqueDaemon daemon, Collection<DaemonPod> pods) {
    return pods.stream()
        .filter(pod -> pod.node().equals(daemon.nodeName()))
        .map(DaemonPod::clique)
        .flatMap(Optional::stream)
        .anyMatch(daemon.cliqueID()::equals);
  }

  /// How many domains have each status, also where that is none. Those that have no status yet are
  /// not counted, as by NVIDIA's controller.
  public static Map<String, Long> counts(Stream<String> statuses) {
    var counts = new TreeMap<>(Map.of(READY, 0L, NOT_READY, 0L));
    statuses.filter(counts::containsKey).forEach(status -> counts.merge(status, 1L, Long::sum));
    return counts;
  }

  public boolean isReady() {
    return READY.equals(status);
  }

  /// Whether a status says this already, in any order.
  public boolean isIn(ComputeDomainStatus live) {
    return status.equals(live.status()) && nodes.equals(sorted(live.nodes()));
  }

  private static List<ComputeDomainNode> sorted(List<ComputeDomainNode> nodes) {
    return nodes.stream()
        .map(node ->
            new ComputeDomainNode(
                node.name(),
                node.ipAddress(),
                node.cliqueID(),
                node.index(),
                Objects.requireNonNullElse(node.status(), NOT_READY),
                Map.of()))
        .sorted(Comparator.comparing(ComputeDomainNode::name))
        .toList();
  }
}
