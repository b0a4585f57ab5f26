package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.labels.plan.Coexistence;
import java.util.List;
import java.util.Map;

/// Nodes with owned labels, as the API server would show them.
public final class LiveNode {
  private final ObjectNode node = JsonNodeFactory.instance.objectNode();
  private final ObjectNode metadata = node.putObject("metadata");
  private final ObjectNode labels = metadata.putObject("labels");

  public LiveNode() {
    metadata.put("name", "node-a");
    metadata.putArray("managedFields");
  }

  public LiveNode applied(String manager, Map<String, String> values) {
    return owned(manager, "Apply", values);
  }

  public LiveNode updated(String manager, Map<String, String> values) {
    return owned(manager, "Update", values);
  }

  public LiveNode listedByNfd(List<String> keys) {
    metadata.putObject("annotations").put(Coexistence.OWNED_LABELS, String.join(",", keys));
    return this;
  }

  public JsonNode json() {
    return node;
  }

  private LiveNode owned(String manager, String operation, Map<String, String> values) {
    values.forEach(labels::put);
    ObjectNode entry = metadata.withArray("managedFields").addObject();
    entry.put("manager", manager).put("operation", operation);
    ObjectNode fields = entry.putObject("fieldsV1").putObject("f:metadata").putObject("f:labels");
    values.keySet().forEach(key -> fields.putObject("f:" + key));
    return this;
  }
}
