package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// The Deployment of an operator of GPUs, as a take-over needs to know it.
///
/// @param isPitcrew whether it is ours already
/// @param image of its first container
/// @param release of Helm, empty where it is none
/// @param chart such as `gpu-operator-v26.7.0`, by its label; may be empty
/// @param tool that writes it, such as `Argo CD Application gpus`; empty for Helm alone
/// @param isOfOlm whether the Operator Lifecycle Manager has installed it
public record OperatorDeployment(
    String namespace,
    String name,
    boolean isPitcrew,
    String image,
    String release,
    String chart,
    String tool,
    boolean isOfOlm) {

  static OperatorDeployment of(Json deployment, Workload workload) {
    Json metadata = deployment.at("metadata");
    return new OperatorDeployment(
        workload.namespace(),
        workload.name(),
        workload.role() == Workload.Role.PITCREW,
        workload.images().isEmpty() ? "" : workload.images().getFirst(),
        release(metadata),
        metadata.at("labels", "helm.sh/chart").text(),
        Managers.tool(metadata),
        metadata.at("labels").textFields().keySet().stream()
            .anyMatch(it -> it.startsWith("olm.owner")));
  }

  /// A release whose name could not be a part of a command is none.
  static String release(Json metadata) {
    String release = metadata.at("annotations", "meta.helm.sh/release-name").text();
    return ObjectNames.isName(release) ? release : "";
  }

  /// Such as `gpu-operator/gpu-operator`.
  public String id() {
    return namespace + "/" + name;
  }
}
