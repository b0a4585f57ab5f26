package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.stream.Stream;

/// An image that a workload of the operator has nodes pull.
///
/// @param image as its template has it
/// @param usedBy such as `DaemonSet nvidia-driver-daemonset`
public record PulledImage(String image, String usedBy) {
  private static final List<String> OWNERS = List.of("nvidia.com/", "pitcrew.dev/");
  private static final String OPERATOR = "gpu-operator";

  /// Of all its containers; none of a workload that neither is the operator nor belongs to one of
  /// its policies.
  static List<PulledImage> of(String kind, Json workload) {
    Json metadata = workload.at("metadata");
    String name = metadata.at("name").text();
    boolean isOwned =
        metadata.at("ownerReferences").items().stream()
            .map(it -> it.at("apiVersion").text())
            .anyMatch(it -> OWNERS.stream().anyMatch(it::startsWith));
    boolean isOperator = kind.equals("Deployment") && name.equals(OPERATOR);
    if (!isOwned && !isOperator) {
      return List.of();
    }
    Json pod = workload.at("spec", "template", "spec");
    return Stream.of("initContainers", "containers")
        .flatMap(it -> pod.at(it).items().stream())
        .map(it -> it.at("image").text())
        .filter(it -> !it.isEmpty())
        .distinct()
        .map(it -> new PulledImage(it, kind + " " + name))
        .toList();
  }
}
