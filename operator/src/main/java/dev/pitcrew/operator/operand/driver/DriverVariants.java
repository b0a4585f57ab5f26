package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.render.RenderContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Which DaemonSets of drivers a cluster needs.
public final class DriverVariants {
  private DriverVariants() {}

  /// One per kernel for precompiled drivers, one per CoreOS release with OpenShift's driver
  /// toolkit, else one per operating system.
  ///
  /// @param name of the DaemonSet where one is enough; variants add a suffix to it
  public static List<DriverVariant> of(String name, boolean precompiled, RenderContext context) {
    if (precompiled) {
      return perKernel(context.facts());
    }
    return DriverToolkit.isEnabled(context)
        ? perCoreOsRelease(context.facts())
        : perOperatingSystem(name, context.facts());
  }

  /// Kernels of two architectures have one name where only the architecture distinguishes them; the
  /// first of them keeps it, and x86 comes first.
  private static List<DriverVariant> perKernel(ClusterFacts facts) {
    NavigableMap<String, OsRelease> kernels =
        new TreeMap<>(
            Comparator.comparing((String kernel) -> !kernel.contains("x86_64"))
                .thenComparing(Comparator.naturalOrder()));
    facts.pools().forEach(pool -> kernels.putIfAbsent(pool.kernel(), pool.os()));
    Set<String> suffixes = new HashSet<>();
    var variants = new ArrayList<DriverVariant>();
    kernels.forEach((kernel, os) -> {
      String suffix = "-" + DriverVariant.nameOf(kernel) + "-" + os.name();
      boolean free = suffixes.add(suffix);
      variants.add(forKernel(free ? suffix : suffix + "-" + Fnv32a.decimal(kernel), kernel, os));
    });
    return variants;
  }

  private static DriverVariant forKernel(String suffix, String kernel, OsRelease os) {
    return new DriverVariant(
        suffix,
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
  private static List<DriverVariant> perOperatingSystem(String name, ClusterFacts facts) {
    NavigableMap<String, OsRelease> systems = new TreeMap<>();
    facts.pools().forEach(pool -> systems.putIfAbsent(pool.os().imageTag(), pool.os()));
    if (systems.size() == 1) {
      return List.of(
          new DriverVariant(
              "", Map.of(), systems.firstEntry().getValue(), Optional.empty(), Optional.empty()));
    }
    String running = facts.servedSystems().getOrDefault(name, "");
    String base = systems.containsKey(running) || systems.isEmpty() ? running : systems.firstKey();
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
