package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The labels with which an administrator leaves one node out of operands.
record OperandSwitches(KubernetesClient client, String node) {
  private static final String DEPLOY = "nvidia.com/gpu.deploy.";

  /// Of all operands at once.
  static final String ALL = DEPLOY + "operands";

  /// Of the container toolkit, in whose place the agent serves the runtime.
  static final String RUNTIME = DEPLOY + "container-toolkit";

  /// Of the validator, in whose place the agent validates.
  static final String VALIDATION = DEPLOY + "operator-validator";

  /// The operands that stay the reference's, whose images are not here.
  private static final List<String> LEFT_OUT =
      List.of(
          "driver",
          "container-toolkit",
          "operator-validator",
          "dcgm",
          "dcgm-exporter",
          "node-status-exporter",
          "mig-manager");

  void allOff() {
    edit(Map.of(ALL, "false"), Map.of());
  }

  /// Leaves the node out of what the agent does not provide, and of nothing else.
  void onlyOurs() {
    edit(
        LEFT_OUT.stream().collect(Collectors.toMap(operand -> DEPLOY + operand, _ -> "false")),
        Map.of(ALL, ""));
  }

  void runtimeOn() {
    edit(Map.of(RUNTIME, "true"), Map.of());
  }

  void validationOn() {
    edit(Map.of(VALIDATION, "true"), Map.of());
  }

  /// How `onlyOurs` is put on a command line.
  static String leftOutWords() {
    return DEPLOY + "{" + String.join(",", LEFT_OUT) + "}=false";
  }

  private void edit(Map<String, String> added, Map<String, String> removed) {
    client
        .nodes()
        .withName(node)
        .edit(present ->
            new NodeBuilder(present)
                .editMetadata()
                .removeFromLabels(removed)
                .addToLabels(added)
                .endMetadata()
                .build());
  }
}
