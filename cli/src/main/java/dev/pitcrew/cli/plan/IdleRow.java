package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.GpuUse;
import dev.pitcrew.cli.cluster.GpuUse.Holder;
import dev.pitcrew.cli.cluster.NodeUse;
import dev.pitcrew.cli.cluster.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A GPU or MIG device that a pod has and does not use.
///
/// @param since when the time without use began, as far as it is known
/// @param idleSeconds how long that is
/// @param atLeast whether it may have been idle for longer: the agent has not seen it before
/// @param shared whether other pods may have it too: then memory is an estimate
/// @param memoryUsedMib that the pod holds; empty where it is not known
/// @param owner of the pod, such as `StatefulSet/notebook`; empty where it has none, or the user
///   may not list pods
public record IdleRow(
    String node,
    String gpu,
    String uuid,
    String migProfile,
    String namespace,
    String pod,
    String owner,
    boolean shared,
    Optional<Double> utilisationPercent,
    Optional<Double> memoryUsedMib,
    String since,
    long idleSeconds,
    boolean atLeast) {

  /// What is idle.
  ///
  /// @param below label of the utilisation below which a GPU counts as idle, such as `0.05`
  /// @param time for which it has to be
  public record Limit(String below, Duration time) {}

  /// All that is known about idle GPUs.
  ///
  /// @param rows the longest first
  /// @param unmeasured GPUs and MIG devices that pods have and whose use is not known
  public record Idle(List<IdleRow> rows, List<String> unmeasured) {}

  /// @param pods of all namespaces, for their owners; empty where the user may not list them
  public static Idle of(
      Collection<NodeUse> uses, Limit limit, Optional<List<Pod>> pods, Instant now) {
    Map<String, String> owners =
        pods.orElse(List.of()).stream()
            .collect(Collectors.toMap(Pod::id, Pod::owner, (first, _) -> first));
    return new Idle(
        uses.stream()
            .flatMap(node ->
                node.gpus().stream()
                    .filter(it -> isMeasured(it, limit))
                    .flatMap(gpu -> rows(node.node(), gpu, limit, owners, now)))
            .sorted(
                Comparator.comparingLong((IdleRow it) -> -it.idleSeconds())
                    .thenComparing(IdleRow::node)
                    .thenComparing(IdleRow::gpu))
            .toList(),
        uses.stream()
            .flatMap(node ->
                node.gpus().stream()
                    .filter(it -> !it.holders().isEmpty() && !isMeasured(it, limit))
                    .map(it -> node.node() + " GPU " + it.title()))
            .toList());
  }

  private static boolean isMeasured(GpuUse gpu, Limit limit) {
    return gpu.answers() && gpu.below().containsKey(limit.below());
  }

  private static Stream<IdleRow> rows(
      String node, GpuUse gpu, Limit limit, Map<String, String> owners, Instant now) {
    long below = gpu.below().getOrDefault(limit.below(), 0L);
    boolean isObservedOnly = below == gpu.below().getOrDefault(GpuUse.OBSERVED, below);
    return gpu.holders().stream()
        // A GPU that was idle before the pod had it is not the pod's.
        .filter(it -> Math.min(below, it.seconds()) >= limit.time().toSeconds())
        .map(it -> {
          long seconds = Math.min(below, it.seconds());
          return new IdleRow(
              node,
              gpu.title(),
              gpu.uuid(),
              gpu.profile(),
              it.namespace(),
              it.pod(),
              owners.getOrDefault(it.id(), ""),
              it.shared(),
              gpu.utilisation(),
              memory(gpu, it),
              now.minusSeconds(seconds).toString(),
              seconds,
              isObservedOnly && below <= it.seconds());
        });
  }

  private static Optional<Double> memory(GpuUse gpu, Holder holder) {
    return holder.shared() ? holder.usedMib() : gpu.usedMib();
  }
}
