package dev.pitcrew.agent.realnode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.node.GpuPod;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/// What kubelet, Node, GPUNode and Events say of the health of one GPU.
///
/// @param gpu its index
/// @param holder the pod that has it
record HealthSigns(GpuNode node, int gpu, GpuPod holder) {
  static final String UNHEALTHY_TAINT = "pitcrew.dev/gpu-unhealthy";
  static final String NOT_READY = "pitcrew.dev/gpu-not-ready";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /// Of the GPU that a pod has.
  static HealthSigns of(GpuNode node, GpuPod holder) {
    String file = holder.gpus().getFirst();
    int index =
        node.gpus().gpus().stream()
            .filter(it -> file.equals("/dev/nvidia" + it.minor()))
            .findFirst()
            .orElseThrow()
            .index();
    return new HealthSigns(node, index, holder);
  }

  /// How many devices the kubelet would give to a pod, or has given.
  long healthyForKubelet() {
    return node.devices().healthy(GpuNode.GPU);
  }

  /// Value by key.
  static Map<String, String> taints(GpuNode node) {
    var taints = new TreeMap<String, String>();
    for (Taint taint : live(node).getSpec().getTaints()) {
      taints.put(taint.getKey(), Objects.requireNonNullElse(taint.getValue(), ""));
    }
    return taints;
  }

  boolean isTainted() {
    return taints(node).containsKey(UNHEALTHY_TAINT);
  }

  /// Status and reason; an empty text where there is no such condition.
  String condition() {
    return ofCondition(it -> it.getStatus() + " " + it.getReason());
  }

  /// What the condition says to people.
  String message() {
    return ofCondition(NodeCondition::getMessage);
  }

  private String ofCondition(Function<NodeCondition, String> part) {
    List<NodeCondition> conditions = live(node).getStatus().getConditions();
    return conditions.stream()
        .filter(it -> it.getType().equals("GPUHealthy"))
        .map(part)
        .findFirst()
        .orElse("");
  }

  String level() {
    return inGpuNode().at("/health/level").asText();
  }

  List<String> evidence() {
    var evidence = new ArrayList<String>();
    inGpuNode().at("/health/evidence").forEach(it -> evidence.add(it.asText()));
    return evidence;
  }

  /// How many Events the pod has got.
  int events(String reason) {
    return node.client().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(it -> holder.pod().name().equals(it.getRegarding().getName()))
        .filter(it -> reason.equals(it.getReason()))
        .mapToInt(it -> it.getSeries() == null ? 1 : it.getSeries().getCount())
        .sum();
  }

  private JsonNode inGpuNode() {
    var live =
        node.client()
            .genericKubernetesResources(AgentOnNode.GPU_NODES)
            .withName(node.node().name())
            .get();
    JsonNode tree = live == null ? MAPPER.createObjectNode() : MAPPER.valueToTree(live);
    for (JsonNode one : tree.at("/status/gpus")) {
      if (one.path("index").asInt(-1) == gpu) {
        return one;
      }
    }
    return MAPPER.createObjectNode();
  }

  private static io.fabric8.kubernetes.api.model.Node live(GpuNode node) {
    return node.client().nodes().withName(node.node().name()).require();
  }
}
