package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Which client needs exclusive use of the driver, according to the labels of the Node.
final class PauseRequest {
  private static final String WORD = "paused-for-";

  private PauseRequest() {}

  /// The first label that pauses an operand, one of the agent's or another, such as
  /// `nvidia.com/gpu.deploy.device-plugin=paused-for-driver-upgrade, set by driver-manager`; empty
  /// where none does.
  static Optional<String> of(NodeState situation) {
    return pauses(labels(situation)).entrySet().stream()
        .findFirst()
        .map(it -> it.getKey() + "=" + it.getValue() + setBy(situation, it.getKey()));
  }

  /// Whether a Node has a label that pauses an operand, one of the agent's or another.
  static boolean isOn(JsonNode metadata) {
    return !pauses(labels(metadata)).isEmpty();
  }

  /// The agent's answer to the client that paused the operand.
  static DriverRelease answer(JsonNode node, String name, String bootId) {
    JsonNode metadata = node.path("metadata");
    return new DriverRelease(
        DriverRelease.API_VERSION,
        name,
        bootId,
        metadata.path("resourceVersion").asText(""),
        pauses(labels(metadata)),
        Map.of());
  }

  private static SortedMap<String, String> pauses(Map<String, String> labels) {
    return labels.entrySet().stream()
        .filter(it -> it.getKey().startsWith(NodeLabels.DEPLOY_PREFIX))
        .filter(it -> it.getValue().contains(WORD))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, TreeMap::new));
  }

  /// Until the Node was seen, as the last agent saw them.
  static Map<String, String> labels(NodeState situation) {
    return situation
        .cluster()
        .nodeObject()
        .map(node -> labels(node.path("metadata")))
        .or(() -> situation.decision().map(it -> it.source().nodeLabels()))
        .orElse(Map.of());
  }

  private static Map<String, String> labels(JsonNode metadata) {
    return metadata.path("labels").properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().asText()));
  }

  /// The API server keeps who wrote a label last.
  private static String setBy(NodeState situation, String label) {
    return situation
        .cluster()
        .nodeObject()
        .flatMap(node -> owner(node.at("/metadata/managedFields"), "f:" + label))
        .map(manager -> ", set by " + manager)
        .orElse("");
  }

  private static Optional<String> owner(JsonNode managedFields, String field) {
    return managedFields
        .valueStream()
        .filter(entry -> entry.at("/fieldsV1/f:metadata/f:labels").has(field))
        .map(entry -> entry.path("manager").asText(""))
        .filter(manager -> !manager.isEmpty())
        .findFirst();
  }
}
