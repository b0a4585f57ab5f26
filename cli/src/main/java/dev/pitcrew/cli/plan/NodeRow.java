package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// One node of the list.
///
/// @param free what pods could have at once, such as `3` or `mig-1g.10gb:4`; `?` where the user may
///   list neither nodes nor pods
/// @param status `Ready`, `Cordoned` or `NotReady`, as the Node has it; empty where it is not known
/// @param rollout its phase, with what it waits for
public record NodeRow(
    String name,
    String product,
    long gpus,
    String free,
    String driver,
    String health,
    boolean ready,
    String reason,
    String message,
    String status,
    String rollout,
    String created) {
  private static final String PREFIX = "nvidia.com/";
  private static final String UNKNOWN = "?";

  /// Sorted by name.
  public static List<NodeRow> of(
      Collection<GpuNode> nodes, Optional<List<KubeNode>> kubeNodes, Optional<Holdings> pods) {
    Map<String, KubeNode> byName =
        kubeNodes.orElse(List.of()).stream()
            .collect(Collectors.toMap(KubeNode::name, Function.identity()));
    return nodes.stream()
        .sorted(Comparator.comparing(GpuNode::name))
        .map(node -> row(node, Optional.ofNullable(byName.get(node.name())), pods))
        .toList();
  }

  private static NodeRow row(GpuNode node, Optional<KubeNode> kubeNode, Optional<Holdings> pods) {
    String blocker = node.rollout().blocker();
    return new NodeRow(
        node.name(),
        node.product(),
        node.gpuCount(),
        kubeNode.flatMap(it -> pods.map(held -> free(it, held))).orElse(UNKNOWN),
        node.driver(),
        node.health(),
        node.isReady(),
        node.reason(),
        node.message(),
        kubeNode.map(NodeRow::status).orElse(""),
        node.rollout().phase() + (blocker.isEmpty() ? "" : ": " + blocker),
        node.created());
  }

  /// Of whole GPUs the number alone. Names that the kubelet only remembers are left out.
  private static String free(KubeNode node, Holdings pods) {
    if (node.cordoned() || !node.ready()) {
      return "0";
    }
    Map<String, Long> free = freeByResource(node, pods);
    if (free.keySet().equals(Set.of(PREFIX + "gpu"))) {
      return String.valueOf(free.values().iterator().next());
    }
    return free.isEmpty()
        ? "0"
        : free.entrySet().stream()
            .map(it -> it.getKey().substring(PREFIX.length()) + ":" + it.getValue())
            .collect(Collectors.joining(" "));
  }

  static Map<String, Long> freeByResource(KubeNode node, Holdings pods) {
    var free = new TreeMap<String, Long>();
    node.offer()
        .capacity()
        .forEach((resource, capacity) -> {
          if (capacity > 0) {
            long allocatable = node.offer().allocatable().getOrDefault(resource, 0L);
            free.put(resource, Math.max(0, allocatable - pods.held(node.name(), resource)));
          }
        });
    return free;
  }

  private static String status(KubeNode node) {
    if (!node.ready()) {
      return "NotReady";
    }
    return node.cordoned() ? "Cordoned" : "Ready";
  }
}
