package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.GpuUse;
import dev.pitcrew.cli.cluster.NodeUse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// How much of one GPU or MIG device is used. What is not known is empty.
///
/// @param gpu such as `3`, or `3/5` for the MIG device of GPU instance 5
/// @param utilisationPercent of the whole GPU or MIG device, also where pods share it
/// @param watts of a whole GPU
/// @param celsius of a whole GPU
/// @param pods that have it; empty also where they are not known
/// @param problem why values are missing; empty where none are
public record UseRow(
    String node,
    String gpu,
    String uuid,
    String product,
    String migProfile,
    Optional<Double> utilisationPercent,
    Optional<Double> memoryUsedMib,
    Optional<Double> memoryMib,
    Optional<Double> watts,
    Optional<Double> celsius,
    List<PodUse> pods,
    String health,
    String problem) {

  /// A pod that has the GPU.
  ///
  /// @param shared whether others may have it too: then what it uses is an estimate
  public record PodUse(
      String namespace,
      String pod,
      boolean shared,
      Optional<Double> utilisationPercentEstimate,
      Optional<Double> memoryUsedMibEstimate) {
    public String id() {
      return namespace + "/" + pod;
    }
  }

  /// The most used first; what is not known last.
  public static final Comparator<UseRow> MOST_USED_FIRST =
      Comparator.comparingDouble((UseRow it) -> -it.utilisationPercent().orElse(-1.0))
          .thenComparing(UseRow::node)
          .thenComparing(UseRow::gpu);

  /// The most used first. A node that does not answer has its GPUs without values.
  public static List<UseRow> of(Collection<GpuNode> nodes, Collection<NodeUse> uses) {
    Map<String, NodeUse> byNode =
        uses.stream().collect(Collectors.toMap(NodeUse::node, Function.identity()));
    return nodes.stream()
        .flatMap(it ->
            Optional.ofNullable(byNode.get(it.name())).stream()
                .flatMap(use -> rows(it, use).stream()))
        .sorted(MOST_USED_FIRST)
        .toList();
  }

  private static List<UseRow> rows(GpuNode node, NodeUse use) {
    Map<String, Gpu> byUuid =
        node.gpus().stream()
            .collect(Collectors.toMap(Gpu::uuid, Function.identity(), (first, _) -> first));
    var rows = new ArrayList<UseRow>();
    var seen = new HashSet<String>();
    for (GpuUse gpu : use.gpus()) {
      seen.add(gpu.uuid());
      rows.add(row(node, Optional.ofNullable(byUuid.get(gpu.uuid())), gpu, use));
    }
    node.gpus().stream()
        .filter(it -> !seen.contains(it.uuid()))
        .forEach(it -> rows.add(unknown(node.name(), Optional.of(it), use)));
    if (rows.isEmpty() && !use.problem().isEmpty()) {
      rows.add(unknown(node.name(), Optional.empty(), use));
    }
    return rows;
  }

  private static UseRow row(GpuNode node, Optional<Gpu> gpu, GpuUse use, NodeUse ofNode) {
    boolean isKnown = use.answers();
    return new UseRow(
        node.name(),
        use.title(),
        use.uuid(),
        gpu.map(Gpu::product).orElse(""),
        use.profile(),
        use.utilisation().filter(_ -> isKnown),
        use.usedMib().filter(_ -> isKnown),
        use.totalMib().filter(_ -> isKnown),
        use.watts().filter(_ -> isKnown && !use.isMigDevice()),
        use.celsius().filter(_ -> isKnown && !use.isMigDevice()),
        use.holders().stream()
            .map(it ->
                new PodUse(
                    it.namespace(),
                    it.pod(),
                    it.shared(),
                    it.utilisation().filter(_ -> isKnown && it.shared()),
                    it.usedMib().filter(_ -> isKnown && it.shared())))
            .toList(),
        gpu.map(Gpu::level).orElse(""),
        isKnown ? ofNode.problem() : "the GPU does not answer");
  }

  /// @param gpu empty where not even its GPUs are known
  private static UseRow unknown(String node, Optional<Gpu> gpu, NodeUse use) {
    return new UseRow(
        node,
        gpu.map(it -> it.index().isEmpty() ? it.pciAddress() : it.index()).orElse(""),
        gpu.map(Gpu::uuid).orElse(""),
        gpu.map(Gpu::product).orElse(""),
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        gpu.map(Gpu::level).orElse(""),
        use.problem().isEmpty() ? "the agent has no metrics of the GPU" : use.problem());
  }
}
