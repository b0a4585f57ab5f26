package dev.pitcrew.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.host.NodeMarks;
import dev.pitcrew.api.node.AgentMarks;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What counts of a Node: its identity, its labels and who owns them, its cloud, its taints, how
/// many devices it has and what is said of their health. The kubelet writes the rest all the time,
/// which is no change.
public final class NodeMetadata {
  private static final List<String> KEPT = List.of("name", "uid", "labels", "annotations");

  /// Used only while an operand is paused, when a client waits for the answer to that version.
  private static final String VERSION = "resourceVersion";

  private static final String PROVIDER = "/spec/providerID";

  private NodeMetadata() {}

  public static Map<String, String> labels(JsonNode node) {
    return node.at("/metadata/labels").properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().asText()));
  }

  /// What a Node says of the cloud that it is in.
  public static NodeMarks marks(JsonNode node) {
    return new NodeMarks(node.at(PROVIDER).asText(""), labels(node));
  }

  static WatchedObject of(WatchedObject seen) {
    return switch (seen) {
      case WatchedObject.Present(var node) -> new WatchedObject.Present(of(node));
      case WatchedObject.Absent absent -> absent;
    };
  }

  private static JsonNode of(JsonNode node) {
    ObjectNode kept = JsonNodeFactory.instance.objectNode();
    kept.put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = kept.putObject("metadata");
    JsonNode live = node.path("metadata");
    KEPT.stream().filter(live::has).forEach(key -> metadata.set(key, live.get(key)));
    if (PauseRequest.isOn(node)) {
      metadata.set(VERSION, live.path(VERSION));
    }
    ArrayNode owners = metadata.putArray("managedFields");
    for (JsonNode owner : live.path("managedFields")) {
      if (owner.at("/fieldsV1/f:metadata/f:labels").isObject()) {
        owners.add(owner(owner));
      }
    }
    JsonNode provider = node.at(PROVIDER);
    if (provider.isTextual()) {
      kept.putObject("spec").set("providerID", provider);
    }
    JsonNode taints = node.at("/spec/taints");
    if (taints.isArray()) {
      kept.withObject("/spec").set("taints", taints);
    }
    ObjectNode status = kept.putObject("status");
    for (JsonNode condition : node.at("/status/conditions")) {
      if (condition.path("type").asText().equals(AgentMarks.CONDITION)) {
        status.putArray("conditions").add(condition);
      }
    }
    NodeCapacity.keep(node, status);
    ObjectNode allocatable = status.putObject("allocatable");
    node.at("/status/allocatable").properties().stream()
        .filter(it -> it.getKey().contains("/"))
        .forEach(it -> allocatable.set(it.getKey(), it.getValue()));
    return kept;
  }

  /// Without the time of the last write, which changes also when nothing else does.
  private static JsonNode owner(JsonNode entry) {
    ObjectNode kept = entry.deepCopy();
    kept.remove("time");
    return kept;
  }
}
