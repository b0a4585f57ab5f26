package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.core.rollout.DriverTag;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Drivers;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Versions of the drivers of nodes, for people.
final class DriverVersions {
  private DriverVersions() {}

  /// Of the driver pod of a node and of its DaemonSet.
  static Drivers of(FleetReading reading, String node) {
    String wanted =
        reading
            .daemonSetOf(node)
            .map(it -> version(it.getSpec().getTemplate().getSpec().getContainers()))
            .orElse("");
    String present =
        reading.driverPodOf(node).map(it -> version(it.getSpec().getContainers())).orElse("");
    return new Drivers(present, wanted);
  }

  /// Of all DaemonSets of drivers that have nodes.
  static SortedSet<String> wanted(FleetReading reading) {
    return reading.daemonSets().values().stream()
        .filter(DriverVersions::hasNodes)
        .map(it -> version(it.getSpec().getTemplate().getSpec().getContainers()))
        .filter(version -> !version.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean hasNodes(DaemonSet daemonSet) {
    return daemonSet.getStatus() != null
        && Objects.requireNonNullElse(daemonSet.getStatus().getDesiredNumberScheduled(), 0) > 0;
  }

  private static String version(List<Container> containers) {
    String image =
        containers.isEmpty()
            ? ""
            : Objects.requireNonNullElse(containers.getFirst().getImage(), "");
    return DriverTag.version(image);
  }
}
