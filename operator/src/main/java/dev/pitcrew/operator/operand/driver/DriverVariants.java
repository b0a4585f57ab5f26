package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.render.RenderContext;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Which DaemonSets of drivers a cluster needs.
public final class DriverVariants {
  private DriverVariants() {}

  /// One per kernel for precompiled drivers, one per CoreOS release with OpenShift's driver
  /// toolkit, else one per operating system.
  public static List<DriverVariant> of(boolean precompiled, RenderContext context) {
    if (precompiled) {
      return perKernel(context.facts());
    }
    return DriverToolkit.isEnabled(context)
        ? perCoreOsRelease(context.facts())
        : perOperatingSystem(context.facts());
  }

  private static List<DriverVariant> perKernel(ClusterFacts facts) {
    return facts.pools().stream()
        .collect(
            Collectors.toMap(NodePool::kernel, NodePool::os, (first, _) -> first, TreeMap::new))
        .entrySet()
        .stream()
        .map(entry -> forKernel(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static DriverVariant forKernel(String kernel, OsRelease os) {
    return new DriverVariant(
        "-" + DriverVariant.nameOf(kernel) + "-" + os.name(),
        Map.of(NodeLabels.KERNEL_VERSION, kernel),
        os,
        Optional.of(kernel),
        Optional.empty());
  }

  private static List<DriverVariant> perCoreOsRelease(ClusterFacts facts) {
    return facts.pools().stream()
        .filter(pool -> !pool.coreOsRelease().isEmpty())
        .collect(
            Collectors.toMap(
                NodePool::coreOsRelease, NodePool::os, (first, _) -> first, TreeMap::new))
        .entrySet()
        .stream()
        .map(entry ->
            new DriverVariant(
                "-" + entry.getKey(),
                Map.of(NodeLabels.OSTREE_VERSION, entry.getKey()),
                entry.getValue(),
                Optional.empty(),
                Optional.of(entry.getKey())))
        .toList();
  }

  /// A cluster of one operating system has one DaemonSet, with the name that users know. Where
  /// there are more, the one that runs today keeps its name and serves the system that it serves,
  /// so that no driver is reloaded only because another system joined.
  private static List<DriverVariant> perOperatingSystem(ClusterFacts facts) {
    NavigableMap<String, OsRelease> systems = new TreeMap<>();
    facts.pools().forEach(pool -> systems.putIfAbsent(pool.os().imageTag(), pool.os()));
    if (systems.size() == 1) {
      return List.of(
          new DriverVariant(
              "", Map.of(), systems.firstEntry().getValue(), Optional.empty(), Optional.empty()));
    }
    String running = facts.baseDriverOs().filter(systems::containsKey).orElse("");
    String base = running.isEmpty() && !systems.isEmpty() ? systems.firstKey() : running;
    return systems.values().stream().map(os -> forSystem(os, base)).toList();
  }

  private static DriverVariant forSystem(OsRelease os, String base) {
    String tag = os.imageTag();
    return new DriverVariant(
        tag.equals(base) ? "" : "-" + tag,
        os.nodeSelector(),
        os,
        Optional.empty(),
        Optional.empty());
  }
}
