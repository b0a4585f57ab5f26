package dev.pitcrew.operator.upgrade;

import java.util.List;

/// Nodes that get the same driver images: those whose driver pods are of one DaemonSet. There is
/// one DaemonSet per kernel for precompiled drivers, and else one per operating system.
///
/// @param pod the name of the pod that pulls the images of the DaemonSet's template, where it is
///   tried first: another template of other images has another
/// @param images what it pulls, and what to do where that fails
public record PreflightPool(String pod, List<DriverImage> images, List<UpgradeNode> nodes) {

  /// One image of a driver pod.
  ///
  /// @param container its name in the pre-flight pod
  /// @param purpose what it is for, such as a kernel; may be empty
  /// @param remedy how to fix it if it cannot be pulled
  public record DriverImage(String container, String reference, String purpose, String remedy) {}

  public PreflightPool {
    images = List.copyOf(images);
    nodes = List.copyOf(nodes);
  }

  /// The name of the pod that pulls the same on another node.
  String secondPod() {
    return pod + "-2";
  }

  /// The nodes that want the driver and have not begun.
  List<UpgradeNode> waiting() {
    return nodes.stream().filter(PreflightPool::isWaiting).toList();
  }

  private static boolean isWaiting(UpgradeNode node) {
    return !node.isUnderWay()
        && !Order.isSkipped(node)
        && node.driver().filter(driver -> !driver.current()).isPresent()
        && !isGivenUp(node);
  }

  /// A node that failed with this very driver does not get it again automatically.
  private static boolean isGivenUp(UpgradeNode node) {
    String target = node.driver().map(DriverPod::target).orElse("");
    return node.state() == UpgradeState.FAILED
        && node.marks()
            .failure()
            .filter(it -> it.stage() != UpgradeFailure.Stage.WORKLOAD && it.target().equals(target))
            .isPresent();
  }
}
