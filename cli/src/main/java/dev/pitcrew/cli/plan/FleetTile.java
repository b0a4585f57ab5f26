package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// One node of a picture of all GPUs, small enough for thousands of them.
///
/// @param node as `kubectl gpu nodes` has it
/// @param levels one digit a GPU, the higher the worse, as [Gpu#badness] has it; a node of which no
///   GPU is listed yet has as many zeros as it reports GPUs
/// @param inUse how many of its GPUs pods hold as a whole; empty where the user may not list pods,
///   and where GPUs are divided, shared or allocated by claims
/// @param pods that hold them, the first few; which of the GPUs each has is not in the API
public record FleetTile(NodeRow node, String levels, Optional<Long> inUse, String pods) {
  private static final int MOST_GPUS = 64;

  /// Sorted by name.
  public static List<FleetTile> of(
      Collection<GpuNode> nodes, Optional<List<KubeNode>> kubeNodes, Optional<Holdings> pods) {
    Map<String, GpuNode> byName =
        nodes.stream().collect(Collectors.toMap(GpuNode::name, Function.identity()));
    return NodeRow.of(nodes, kubeNodes, pods).stream()
        .map(row -> tile(row, Objects.requireNonNull(byName.get(row.name())), pods))
        .toList();
  }

  private static FleetTile tile(NodeRow row, GpuNode node, Optional<Holdings> pods) {
    return new FleetTile(
        row,
        levels(node),
        pods.filter(_ -> node.givesWholeGpus()).map(it -> FleetStatus.inUse(node, it)),
        pods.map(it -> Words.some(it.on(node.name()).stream().map(Pod::id).toList())).orElse(""));
  }

  private static String levels(GpuNode node) {
    return node.gpus().isEmpty()
        ? "0".repeat(Math.clamp(node.gpuCount(), 0, MOST_GPUS))
        : node.gpus().stream()
            .limit(MOST_GPUS)
            .map(gpu -> String.valueOf(gpu.badness()))
            .collect(Collectors.joining());
  }
}
