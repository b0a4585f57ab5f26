package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.cli.cluster.Gpu;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A GPU that is not healthy.
///
/// @param since when it came to the level
/// @param evidence newest first
/// @param next what happens next, or has to be done
/// @param pods that hold GPUs of the node, of which the API does not say which; empty where the
///   user may not list pods
public record HealthRow(
    String node,
    String gpu,
    String pciAddress,
    String uuid,
    String product,
    String level,
    String since,
    List<String> evidence,
    String next,
    Optional<List<String>> pods) {

  /// The worst first.
  ///
  /// @param settings empty where the FleetPolicy cannot be read
  /// @param holders pods that hold GPUs; empty where the user may not list them
  public static List<HealthRow> of(
      Collection<GpuNode> nodes, Optional<FleetSettings> settings, Optional<Holdings> holders) {
    record Found(GpuNode node, Gpu gpu) {}
    return nodes.stream()
        .flatMap(node ->
            node.gpus().stream().filter(Gpu::isWorseThanHealthy).map(gpu -> new Found(node, gpu)))
        .sorted(
            Comparator.comparingInt((Found it) -> -it.gpu().badness())
                .thenComparing(it -> it.node().name())
                .thenComparing(it -> it.gpu().pciAddress()))
        .map(it -> row(it.node(), it.gpu(), settings, holders))
        .toList();
  }

  private static HealthRow row(
      GpuNode node, Gpu gpu, Optional<FleetSettings> settings, Optional<Holdings> holders) {
    return new HealthRow(
        node.name(),
        gpu.index(),
        gpu.pciAddress(),
        gpu.uuid(),
        gpu.product(),
        gpu.level(),
        gpu.since(),
        gpu.evidence(),
        next(gpu.level(), settings),
        holders.map(it -> it.on(node.name()).stream().map(Pod::id).toList()));
  }

  private static String next(String level, Optional<FleetSettings> settings) {
    return switch (level) {
      case "Degraded" ->
          "it still works"
              + settings
                  .map(it ->
                      "; most evidence goes after %d s without it"
                          .formatted(it.recoverAfterSeconds()))
                  .orElse("");
      case "NeedsReset" ->
          settings.filter(FleetSettings::resetGpus).isPresent()
              ? "the agent resets it as soon as no pod and no process holds it"
              : "drain the node, then reset the GPU";
      case "NeedsReboot" -> "drain the node and reboot it";
      case "Replace" -> "drain the node and have the board replaced";
      default -> "a level that this plugin does not know: see docs/unhealthy-gpu.md";
    };
  }
}
