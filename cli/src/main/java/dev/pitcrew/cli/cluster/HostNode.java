package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Map;

/// A Node with what its kubelet says of the machine.
///
/// @param taints as `kubectl taint` has them, those that keep pods away
public record HostNode(
    String name,
    Map<String, String> labels,
    boolean ready,
    boolean cordoned,
    List<String> taints,
    Host host,
    Map<String, String> allocatable) {

  /// What runs below the pods.
  ///
  /// @param runtime such as `containerd://2.1.4`
  public record Host(
      String system,
      String osImage,
      String kernel,
      String architecture,
      String runtime,
      String kubelet) {}

  public static HostNode of(Json node) {
    Json info = node.at("status", "nodeInfo");
    return new HostNode(
        node.at("metadata", "name").text(),
        node.at("metadata", "labels").textFields(),
        Condition.find(Condition.all(node.at("status", "conditions")), "Ready")
            .filter(Condition::isTrue)
            .isPresent(),
        node.at("spec", "unschedulable").isTrue(),
        node.at("spec", "taints").items().stream()
            .filter(it -> !it.at("effect").text().equals("PreferNoSchedule"))
            .filter(it -> !it.at("key").text().equals("node.kubernetes.io/unschedulable"))
            .map(HostNode::taint)
            .toList(),
        new Host(
            info.at("operatingSystem").text(),
            info.at("osImage").text(),
            info.at("kernelVersion").text(),
            info.at("architecture").text(),
            info.at("containerRuntimeVersion").text(),
            info.at("kubeletVersion").text()),
        node.at("status", "allocatable").textFields());
  }

  private static String taint(Json taint) {
    String value = taint.at("value").text();
    return taint.at("key").text()
        + (value.isEmpty() ? "" : "=" + value)
        + ":"
        + taint.at("effect").text();
  }
}
