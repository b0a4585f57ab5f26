package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;

/// The definition of a kind that the chart has.
///
/// @param isThere whether the cluster has it
/// @param versions that it serves
/// @param owner such as `Helm release gpu-operator/gpu-operator`; empty where nothing says it
/// @param isOfAnotherChart whether it is one that other charts bring too, and another has brought
public record Definition(
    String name, boolean isThere, List<String> versions, String owner, boolean isOfAnotherChart) {
  /// All of them.
  public static final List<String> NAMES =
      List.of(
          "clusterpolicies.nvidia.com",
          "nvidiadrivers.nvidia.com",
          "gpuclusters.nvidia.com",
          "fleetpolicies.pitcrew.dev",
          "gpunodes.pitcrew.dev",
          "computedomains.resource.nvidia.com",
          "computedomaincliques.resource.nvidia.com");

  private static final String SHARED_GROUP = ".resource.nvidia.com";

  /// On one of the shared definitions that Pitcrew has made.
  private static final String OURS = "pitcrew.dev/shared-definition";

  static Definition absent(String name) {
    return new Definition(name, false, List.of(), "", false);
  }

  static Definition of(Json definition) {
    Json metadata = definition.at("metadata");
    String name = metadata.at("name").text();
    return new Definition(
        name,
        true,
        definition.at("spec", "versions").items().stream()
            .filter(it -> it.at("served").isTrue())
            .map(it -> it.at("name").text())
            .toList(),
        Workload.owner(metadata),
        name.endsWith(SHARED_GROUP) && !metadata.at("labels").textFields().containsKey(OURS));
  }

  /// Whether the NVIDIA GPU Operator has it too.
  public boolean isOfNvidia() {
    return name.endsWith(".nvidia.com") && !name.endsWith(SHARED_GROUP);
  }
}
