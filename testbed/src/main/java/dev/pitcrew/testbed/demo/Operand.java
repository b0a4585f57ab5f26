package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// How far a DaemonSet of an operand has come.
///
/// @param isObserved whether the DaemonSet controller has counted since the last change
/// @param updated pods that are made from the DaemonSet's present template
/// @param image of the first container
record Operand(
    String name,
    long generation,
    boolean isObserved,
    int desired,
    int ready,
    int updated,
    String image) {
  private static final String DRIVER = "nvidia-driver-daemonset";

  static Operand of(DaemonSet daemonSet) {
    var status = daemonSet.getStatus();
    var generation = daemonSet.getMetadata().getGeneration();
    return new Operand(
        daemonSet.getMetadata().getName(),
        generation,
        generation.equals(status.getObservedGeneration()),
        count(status.getDesiredNumberScheduled()),
        count(status.getNumberReady()),
        count(status.getUpdatedNumberScheduled()),
        imageOf(daemonSet.getSpec().getTemplate().getSpec()));
  }

  static List<Operand> allOf(LiveCluster cluster) {
    return cluster.daemonSets().stream().map(Operand::of).toList();
  }

  /// The operand that loads the kernel modules; all nodes of the demo have one operating system.
  static Optional<Operand> driverOf(LiveCluster cluster) {
    return allOf(cluster).stream().filter(Operand::isDriver).findFirst();
  }

  static String imageOf(PodSpec pod) {
    return pod.getContainers().getFirst().getImage();
  }

  static Table table(List<Operand> operands) {
    return Table.of(
        List.of("OPERAND", "DESIRED", "READY", "UPDATED", "IMAGE"),
        operands.stream().map(Operand::cells));
  }

  boolean isDriver() {
    return name.startsWith(DRIVER);
  }

  boolean isComplete() {
    return isObserved && ready == desired && updated == desired;
  }

  private List<String> cells() {
    return List.of(
        name,
        Integer.toString(desired),
        Integer.toString(ready),
        Integer.toString(updated),
        image.substring(image.lastIndexOf('/') + 1));
  }

  private static int count(Integer value) {
    return Objects.requireNonNullElse(value, 0);
  }
}
