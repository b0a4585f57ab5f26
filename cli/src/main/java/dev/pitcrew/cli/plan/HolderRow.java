package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// A pod that holds GPUs.
///
/// @param gpus such as `4 × nvidia.com/gpu`
public record HolderRow(
    String node, String gpus, String namespace, String pod, String phase, String created) {

  /// Sorted by node, then by pod.
  ///
  /// @param node of which the pods are wanted; empty for all
  public static List<HolderRow> of(Collection<Pod> pods, String node) {
    return pods.stream()
        .filter(Pod::isHolding)
        .filter(pod -> node.isEmpty() || pod.node().equals(node))
        .sorted(Comparator.comparing(Pod::node).thenComparing(Pod::id))
        .map(pod ->
            new HolderRow(
                pod.node(),
                Words.asks(pod.demand()),
                pod.namespace(),
                pod.name(),
                pod.phase(),
                pod.created()))
        .toList();
  }
}
