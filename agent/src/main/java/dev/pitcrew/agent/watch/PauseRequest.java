package dev.pitcrew.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What the labels of the Node say of clients that need exclusive use of the driver.
///
/// @param by the first label that pauses an operand, one of the agent's or another, such as
///   `nvidia.com/gpu.deploy.device-plugin=paused-for-driver-upgrade, set by driver-manager`; empty
///   where none does
/// @param node what the answer to the client refers to; empty until the Node was seen
public record PauseRequest(Optional<String> by, Optional<Version> node) {
  private static final String MARK = "paused-for-";

  /// @param resourceVersion of the Node
  /// @param pauses the labels that pause an operand
  record Version(String resourceVersion, Map<String, String> pauses) {
    Version {
      pauses = Collections.unmodifiableSortedMap(new TreeMap<>(pauses));
    }
  }

  /// @param stored the labels as the last agent saw them, which count until the Node was seen
  public static PauseRequest of(Optional<JsonNode> node, Map<String, String> stored) {
    SortedMap<String, String> pauses = pauses(node.map(NodeMetadata::labels).orElse(stored));
    return new PauseRequest(
        pauses.entrySet().stream()
            .findFirst()
            .map(it -> it.getKey() + "=" + it.getValue() + setBy(node, it.getKey())),
        node.map(it -> new Version(it.at("/metadata/resourceVersion").asText(""), pauses)));
  }

  /// Whether a Node has a label that pauses an operand, one of the agent's or another.
  static boolean isOn(JsonNode node) {
    return !pauses(NodeMetadata.labels(node)).isEmpty();
  }

  /// The agent's answer to the client that paused the operand; empty until the Node was seen.
  public Optional<DriverRelease> answer(String name, String bootId) {
    return node.map(seen ->
        new DriverRelease(
            DriverRelease.API_VERSION,
            name,
            bootId,
            seen.resourceVersion(),
            seen.pauses(),
            Map.of()));
  }

  private static SortedMap<String, String> pauses(Map<String, String> labels) {
    return labels.entrySet().stream()
        .filter(it -> it.getKey().startsWith(NodeLabels.DEPLOY_PREFIX))
        .filter(it -> it.getValue().contains(MARK))
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, TreeMap::new));
  }

  /// The API server keeps who wrote a label last.
  private static String setBy(Optional<JsonNode> node, String label) {
    return node.flatMap(it -> owner(it.at("/metadata/managedFields"), "f:" + label))
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
