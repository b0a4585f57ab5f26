package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// MIG devices of one profile on one node.
///
/// @param gpus how many GPUs are divided so
/// @param resource by which pods ask for one; empty where the Node offers none, or is not known
/// @param free what pods could have at once; `?` where the user may list neither nodes nor pods
public record MigProfileRow(
    String node, String profile, long devices, long gpus, String resource, String free) {
  private static final String PREFIX = "nvidia.com/";
  private static final String UNKNOWN = "?";

  /// By node and profile; none of a node whose GPUs are whole.
  ///
  /// @param kubeNodes empty where the user may not list them
  /// @param holders pods that hold GPUs; empty where the user may not list them
  public static List<MigProfileRow> of(
      Collection<GpuNode> nodes, Optional<List<KubeNode>> kubeNodes, Optional<Holdings> holders) {
    Map<String, KubeNode> byName =
        kubeNodes.orElse(List.of()).stream()
            .collect(Collectors.toMap(KubeNode::name, Function.identity()));
    return nodes.stream()
        .sorted(Comparator.comparing(GpuNode::name))
        .flatMap(node ->
            devices(node.gpus()).entrySet().stream()
                .map(it ->
                    row(
                        node,
                        it.getKey(),
                        it.getValue(),
                        Optional.ofNullable(byName.get(node.name())),
                        holders)))
        .toList();
  }

  /// Such as `1g.10gb x 7, 3g.40gb x 2`; empty where no GPU is divided.
  static String counts(Collection<Gpu> gpus) {
    return devices(gpus).entrySet().stream()
        .map(it -> it.getKey() + " x " + it.getValue())
        .collect(Collectors.joining(", "));
  }

  private static TreeMap<String, Long> devices(Collection<Gpu> gpus) {
    return gpus.stream()
        .flatMap(gpu -> gpu.profiles().stream())
        .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
  }

  private static MigProfileRow row(
      GpuNode node,
      String profile,
      long devices,
      Optional<KubeNode> kubeNode,
      Optional<Holdings> holders) {
    Optional<String> resource = kubeNode.flatMap(it -> resource(it, profile));
    return new MigProfileRow(
        node.name(),
        profile,
        devices,
        node.gpus().stream().filter(it -> it.profiles().contains(profile)).count(),
        resource.orElse(""),
        kubeNode
            .flatMap(it -> holders.map(held -> free(it, held, resource)))
            .map(String::valueOf)
            .orElse(UNKNOWN));
  }

  /// The device plugin names each profile (strategy `mixed`, with `.` for `+`), or calls all of a
  /// node GPUs (`single`).
  private static Optional<String> resource(KubeNode node, String profile) {
    var capacity = node.offer().capacity();
    return List.of(PREFIX + "mig-" + profile.replace('+', '.'), PREFIX + "gpu").stream()
        .filter(it -> capacity.getOrDefault(it, 0L) > 0)
        .filter(it ->
            !it.equals(PREFIX + "gpu")
                || capacity.keySet().stream().noneMatch(name -> name.startsWith(PREFIX + "mig-")))
        .findFirst();
  }

  private static long free(KubeNode node, Holdings holders, Optional<String> resource) {
    return node.cordoned() || !node.ready()
        ? 0
        : resource.map(it -> NodeRow.freeByResource(node, holders).getOrDefault(it, 0L)).orElse(0L);
  }
}
