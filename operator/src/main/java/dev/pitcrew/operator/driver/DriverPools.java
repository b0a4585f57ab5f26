package dev.pitcrew.operator.driver;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.node.NodeFacts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The nodes of one NVIDIADriver, divided by what their driver image depends on: the operating
/// system, with ready-made modules the kernel, on OpenShift the CoreOS release.
///
/// @param unlabelled nodes that lack a label that this depends on, by name
public record DriverPools(List<DriverPool> pools, SortedSet<String> unlabelled) {

  public static DriverPools of(DriverResource driver, List<NodeFacts> gpuNodes, boolean openShift) {
    SortedMap<String, DriverPool> pools = new TreeMap<>();
    SortedSet<String> unlabelled = new TreeSet<>();
    Map<String, String> selector = driver.selector();
    for (NodeFacts node : gpuNodes) {
      if (LabelSelector.matches(selector, node.labels())) {
        pool(driver, node, openShift)
            .ifPresentOrElse(
                pool -> pools.putIfAbsent(key(pool), pool), () -> unlabelled.add(node.name()));
      }
    }
    return new DriverPools(List.copyOf(pools.values()), unlabelled);
  }

  private static Optional<DriverPool> pool(
      DriverResource driver, NodeFacts node, boolean openShift) {
    boolean precompiled = driver.spec().isPrecompiled();
    Optional<String> kernel = node.kernel().filter(_ -> precompiled);
    Optional<String> release = node.ostreeVersion().filter(_ -> openShift && !precompiled);
    if ((precompiled && kernel.isEmpty()) || (openShift && !precompiled && release.isEmpty())) {
      return Optional.empty();
    }
    return node.osId()
        .flatMap(id -> node.osVersion().map(version -> new OsRelease(id, version)))
        .map(os -> new DriverPool(os, kernel, release, selector(driver, os, kernel, release)));
  }

  private static Map<String, String> selector(
      DriverResource driver, OsRelease os, Optional<String> kernel, Optional<String> release) {
    var selector = new HashMap<>(driver.selector());
    selector.putAll(os.nodeSelector());
    kernel.ifPresent(version -> selector.put(NodeLabels.KERNEL_VERSION, version));
    release.ifPresent(version -> selector.put(NodeLabels.OSTREE_VERSION, version));
    return Map.copyOf(selector);
  }

  private static String key(DriverPool pool) {
    return String.join(
        "-", pool.os().imageTag(), pool.kernel().orElse(""), pool.coreOsRelease().orElse(""));
  }
}
