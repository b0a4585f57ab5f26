package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.OwnedFields;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.util.Optional;

/// The bodies of server-side applies of a GPUNode. The agent's part of the status goes whole each
/// time, so that what it no longer says goes too; `status.rollout`, `status.eviction` and
/// `status.driverRefusal` are never in it.
public final class StatusApply {
  private static final String API_VERSION = "pitcrew.dev/v1alpha1";
  private static final String KIND = "GPUNode";
  private static final String STATUS = "status";

  private StatusApply() {}

  /// The object to apply where there is none yet. It goes with its Node.
  public static JsonNode create(String nodeName, String nodeUid) {
    ObjectNode body = body(nodeName);
    body.withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", nodeName)
        .put("uid", nodeUid);
    return body;
  }

  /// The body for the subresource `status`; empty where the live object says all of it already and
  /// nothing else of the agent's.
  public static Optional<JsonNode> status(
      String nodeName, Optional<JsonNode> live, GpuNodeStatus wanted) {
    JsonNode status = ApiJson.tree(wanted);
    prune(status);
    ObjectNode body = body(nodeName);
    body.set(STATUS, status);
    return Optional.<JsonNode>of(body)
        .filter(_ -> live.filter(it -> saysAlready(it, body)).isEmpty());
  }

  /// The body by which the labels of the live object say what its status says; empty where they do
  /// already. The uid keeps the server from creating an object that is deleted meanwhile.
  public static Optional<JsonNode> labels(JsonNode live) {
    ObjectNode body = body(live.at("/metadata/name").asText());
    ObjectNode metadata = body.withObject("/metadata");
    ObjectNode labels = metadata.putObject("labels");
    ReportLabels.of(read(Optional.of(live))).forEach(labels::put);
    boolean isSaid =
        Coverage.covers(live.at("/metadata/labels"), labels)
            && OwnedFields.areAllIn(OwnedFields.ofAgent(live, ""), body);
    metadata.put("uid", live.at("/metadata/uid").asText());
    return isSaid || labels.isEmpty() ? Optional.empty() : Optional.of(body);
  }

  /// The status of a live object. One that cannot be read counts as none: it is about to be
  /// replaced.
  public static GpuNodeStatus read(Optional<JsonNode> live) {
    try {
      return live.map(it -> ApiJson.read(it, GpuNode.class).status()).orElse(GpuNodeStatus.ABSENT);
    } catch (UnreadableResource _) {
      return GpuNodeStatus.ABSENT;
    }
  }

  private static boolean saysAlready(JsonNode live, JsonNode body) {
    return Coverage.covers(live.path(STATUS), body.path(STATUS))
        && OwnedFields.areAllIn(OwnedFields.ofAgent(live, STATUS), body);
  }

  /// Of an object that had fields and now is to have none, a server-side apply makes null
  /// (structured merge diff, `remove.go`), which the API server then refuses. It says nothing
  /// anyway.
  private static void prune(JsonNode node) {
    node.forEach(StatusApply::prune);
    if (node instanceof ObjectNode object) {
      object
          .properties()
          .removeIf(field -> field.getValue().isContainerNode() && field.getValue().isEmpty());
    }
  }

  private static ObjectNode body(String nodeName) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", API_VERSION).put("kind", KIND);
    body.putObject("metadata").put("name", nodeName);
    return body;
  }
}
