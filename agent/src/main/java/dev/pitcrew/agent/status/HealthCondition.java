package dev.pitcrew.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The condition of the Node itself that says how its GPUs are, for whoever looks at nodes and not
/// at GPUNodes. It is applied server-side, so that the kubelet's conditions stay the kubelet's.
public final class HealthCondition {
  public static final String TYPE = "GPUHealthy";

  /// The reasons that an agent gives.
  private static final Set<String> OURS =
      Set.of("GpusHealthy", "GpuUnhealthy", NodeVerdicts.DRIVER_NOT_READY, Verdict.NOT_YET_KNOWN);

  private static final Condition NOT_WATCHED =
      new Condition(
          TYPE,
          Verdict.UNKNOWN,
          null,
          "",
          "NotWatched",
          "the agent does not watch the GPUs: FleetPolicy spec.agent.functions does not name health",
          Map.of());

  private static final List<String> SAID = List.of("status", "reason", "message");

  private HealthCondition() {}

  /// The body of a server-side apply of the Node's status; empty where it says so already.
  ///
  /// @param node the live one
  /// @param wanted the condition `Healthy` of the GPUNode; empty where nobody watches the GPUs:
  ///   what was said once is then unknown
  public static Optional<JsonNode> apply(JsonNode node, Optional<Condition> wanted, Instant now) {
    Optional<JsonNode> live = live(node);
    if (wanted.isEmpty()) {
      boolean isOurs = live.filter(it -> OURS.contains(it.path("reason").asText())).isPresent();
      return isOurs ? apply(node, Optional.of(NOT_WATCHED), now) : Optional.empty();
    }
    ObjectNode condition = condition(wanted.get());
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

  private static ObjectNode condition(Condition wanted) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("type", TYPE)
        .put("status", wanted.status())
        .put("reason", wanted.reason())
        .put("message", wanted.message());
  }

  private static boolean saysTheSame(JsonNode live, JsonNode wanted) {
    return SAID.stream().allMatch(field -> live.path(field).equals(wanted.path(field)));
  }

  private static Optional<JsonNode> live(JsonNode node) {
    for (JsonNode condition : node.at("/status/conditions")) {
      if (condition.path("type").asText().equals(TYPE)) {
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
