package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A pod of the driver's DaemonSet.
record DriverPod(String namespace, String name, String node, String image, boolean isReady) {
  /// By node.
  static List<DriverPod> allOf(LiveCluster cluster) {
    return cluster.pods().stream()
        .filter(pod -> isOfDriver(pod, cluster))
        .map(DriverPod::of)
        .sorted(Comparator.comparing(DriverPod::node))
        .toList();
  }

  static Optional<DriverPod> on(String node, LiveCluster cluster) {
    return allOf(cluster).stream().filter(pod -> pod.node().equals(node)).findFirst();
  }

  private static DriverPod of(Pod pod) {
    return new DriverPod(
        pod.getMetadata().getNamespace(),
        pod.getMetadata().getName(),
        Objects.toString(pod.getSpec().getNodeName(), "-"),
        Operand.imageOf(pod.getSpec()),
        Readiness.isPodReady(pod));
  }

  private static boolean isOfDriver(Pod pod, LiveCluster cluster) {
    var driver = Operand.driverOf(cluster).map(Operand::name).orElse("");
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getKind().equals("DaemonSet") && owner.getName().equals(driver));
  }

  boolean runs(String version) {
    return image.contains(":" + version);
  }

  String tag() {
    return image.substring(image.lastIndexOf(':') + 1);
  }
}
