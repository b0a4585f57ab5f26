package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The labels with which an administrator leaves one node out of operands.
record OperandSwitches(KubernetesClient client, String node) {
  private static final String DEPLOY = "nvidia.com/gpu.deploy.";

  private static final String DRIVER = "driver";

  /// Of all operands at once.
  static final String ALL = DEPLOY + "operands";

  /// Of the container toolkit, in whose place the agent serves the runtime.
  static final String RUNTIME = DEPLOY + "container-toolkit";

  /// Of the validator, in whose place the agent validates.
  static final String VALIDATION = DEPLOY + "operator-validator";

  /// The operands that stay NVIDIA's, whose images are not here.
  private static final List<String> LEFT_OUT =
      List.of(
          DRIVER,
          "container-toolkit",
          "operator-validator",
          "dcgm",
          "dcgm-exporter",
          "node-status-exporter",
          "mig-manager");

  void allOff() {
    edit(Map.of(ALL, "false"), Set.of());
  }

  /// Leaves the node out of what the agent does not provide, and of nothing else.
  ///
  /// @param hasDriver whether the node has a driver that no container brings
  void onlyOurs(boolean hasDriver) {
    edit(
        leftOut(hasDriver).collect(Collectors.toMap(operand -> DEPLOY + operand, _ -> "false")),
        Set.of(ALL));
  }

  private static Stream<String> leftOut(boolean hasDriver) {
    return LEFT_OUT.stream().filter(operand -> hasDriver || !operand.equals(DRIVER));
  }

  void runtimeOn() {
    edit(Map.of(RUNTIME, "true"), Set.of());
  }

  void validationOn() {
    edit(Map.of(VALIDATION, "true"), Set.of());
  }

  void migOn() {
    edit(Map.of(DEPLOY + "mig-manager", "true"), Set.of());
  }

  void metricsOn() {
    edit(Map.of(DEPLOY + "dcgm-exporter", "true"), Set.of());
  }

  /// How the GPUs of the node are to be divided.
  void layout(String name) {
    label("nvidia.com/mig.config", name);
  }

  void label(String name, String value) {
    edit(Map.of(name, value), Set.of());
  }

  /// How `onlyOurs` is put on a command line.
  static String leftOutWords(boolean hasDriver) {
    return DEPLOY + leftOut(hasDriver).collect(Collectors.joining(",", "{", "}=false"));
  }

  /// Whatever else happens to the Node meanwhile.
  private void edit(Map<String, String> added, Set<String> removed) {
    var labels = new TreeMap<String, @Nullable String>(added);
    removed.forEach(label -> labels.put(label, null));
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(Map.of("metadata", Map.of("labels", labels))));
  }
}
