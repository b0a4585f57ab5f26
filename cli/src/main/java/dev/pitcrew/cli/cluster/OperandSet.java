package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;

/// A DaemonSet that a policy of NVIDIA's kinds owns.
///
/// @param desired on how many nodes it is to run
/// @param images of its containers
public record OperandSet(
    String namespace, String name, long desired, long ready, List<String> images) {
  static boolean isOne(Json daemonSet) {
    return daemonSet.at("metadata", "ownerReferences").items().stream()
        .anyMatch(it -> it.at("apiVersion").text().startsWith("nvidia.com/"));
  }

  static OperandSet of(Json daemonSet) {
    Json status = daemonSet.at("status");
    return new OperandSet(
        daemonSet.at("metadata", "namespace").text(),
        daemonSet.at("metadata", "name").text(),
        status.at("desiredNumberScheduled").number(),
        status.at("numberReady").number(),
        daemonSet.at("spec", "template", "spec", "containers").items().stream()
            .map(it -> it.at("image").text())
            .toList());
  }
}
