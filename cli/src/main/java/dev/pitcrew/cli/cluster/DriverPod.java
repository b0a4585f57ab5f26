package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// A pod that installs a driver on its node.
///
/// @param set uid of its DaemonSet; empty where it has none
/// @param created in RFC 3339
public record DriverPod(String node, String set, String created, DriverInstallation installed) {
  static DriverPod of(Json pod) {
    return new DriverPod(
        pod.at("spec", "nodeName").text(),
        pod.at("metadata", "ownerReferences").items().stream()
            .filter(it -> it.at("kind").text().equals("DaemonSet"))
            .map(it -> it.at("uid").text())
            .findFirst()
            .orElse(""),
        pod.at("metadata", "creationTimestamp").text(),
        DriverInstallation.of(pod));
  }
}
