package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.AgentMarks;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The condition of the Node itself that reports how its GPUs are, for users who look at Nodes and
/// not at GPUNodes. It is applied server-side, so that the kubelet's conditions stay the kubelet's.
public final class HealthCondition {
  private static final List<String> SAID = List.of("status", "reason", "message");

  private HealthCondition() {}

  /// The body of a server-side apply of the Node's status; empty where it says so already.
  ///
  /// @param node the live one
  /// @param wanted the condition `Healthy` of the GPUNode
  public static Optional<JsonNode> apply(JsonNode node, Condition wanted, Instant now) {
    Optional<JsonNode> live = live(node);
    ObjectNode condition = condition(wanted);
    if (live.filter(it -> saysTheSame(it, condition)).isPresent()) {
      return Optional.empty();
    }
    boolean isAsBefore =
        live.filter(it -> it.path("status").equals(condition.path("status"))).isPresent();
    String time = HealthFindings.seconds(now);
    condition
        .put("lastHeartbeatTime", time)
        .put(
            "lastTransitionTime",
            isAsBefore ? live.get().path("lastTransitionTime").asText(time) : time);
    ObjectNode body = body(node);
    body.putObject("status").putArray("conditions").add(condition);
    return Optional.of(body);
  }

  /// The strategic merge patch that takes it away; empty where it is not there, or is not an
  /// agent's. Not an apply without it, which the admission policy refuses beside other conditions.
  public static Optional<JsonNode> removal(JsonNode node) {
    return live(node)
        .filter(it -> AgentMarks.REASONS.contains(it.path("reason").asText()))
        .map(_ -> AgentMarks.withoutCondition());
  }

  private static ObjectNode condition(Condition wanted) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("type", AgentMarks.CONDITION)
        .put("status", wanted.status())
        .put("reason", wanted.reason())
        .put("message", wanted.message());
  }

  private static boolean saysTheSame(JsonNode live, JsonNode wanted) {
    return SAID.stream().allMatch(field -> live.path(field).equals(wanted.path(field)));
  }

  private static Optional<JsonNode> live(JsonNode node) {
    for (JsonNode condition : node.at("/status/conditions")) {
      if (condition.path("type").asText().equals(AgentMarks.CONDITION)) {
        return Optional.of(condition);
      }
    }
    return Optional.empty();
  }

  private static ObjectNode body(JsonNode node) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", "v1").put("kind", "Node");
    body.putObject("metadata").put("name", node.at("/metadata/name").asText());
    return body;
  }
}
