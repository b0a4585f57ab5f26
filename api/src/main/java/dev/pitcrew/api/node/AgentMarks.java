package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/// What a Node carries because of its agent, beside labels: two taints and one condition. The agent
/// keeps them right; where none is to run any more, the operator takes them away.
public final class AgentMarks {
  /// A GPU is unhealthy.
  public static final String UNHEALTHY = "pitcrew.dev/gpu-unhealthy";

  /// The kubelet registers a new node with it, where its user wants that.
  public static final String NOT_READY = "pitcrew.dev/gpu-not-ready";

  /// Keys of the taints.
  public static final Set<String> TAINTS = Set.of(UNHEALTHY, NOT_READY);

  /// Type of the condition that says how the GPUs are.
  public static final String CONDITION = "GPUHealthy";

  /// The reasons that agents set in it; a condition with another one belongs to another writer.
  public static final Set<String> REASONS =
      Set.of("DriverNotReady", "GpuUnhealthy", "GpusHealthy", "NotYetKnown");

  private static final String TAINTS_PATH = "/spec/taints";

  private AgentMarks() {}

  /// The JSON patch that replaces the taints of a Node, if they still are as they were seen: to the
  /// API server they are one list, of which no writer can own a part.
  ///
  /// @param live as they were seen; no array where there were none
  public static JsonNode replacingTaints(JsonNode live, ArrayNode wanted) {
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    ObjectNode test = patch.addObject().put("op", "test").put("path", TAINTS_PATH);
    if (live.isArray()) {
      test.set("value", live);
    } else {
      test.putNull("value");
    }
    patch.addObject().put("op", "add").put("path", TAINTS_PATH).set("value", wanted);
    return patch;
  }

  /// The strategic merge patch of a Node's status that removes the condition and keeps those of
  /// other writers, even if they change meanwhile.
  public static JsonNode withoutCondition() {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("$patch", "delete")
        .put("type", CONDITION);
    return patch;
  }
}
