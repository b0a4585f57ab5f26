package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentMarks;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.TaintEffect;
import java.util.Optional;

/// The two taints of a Node that are the agent's. Taints are one list to the API server, of which
/// no writer can own a part: it is replaced as a whole, and only if it still is as it was seen.
///
/// @param unhealthy the taint that an unhealthy GPU calls for; empty where none does
/// @param isReady whether nothing on the node is to wait for its GPUs any more
public record NodeTaints(Optional<Unhealthy> unhealthy, boolean isReady) {
  private static final String PATH = "/spec/taints";

  /// @param level of the worst GPU
  public record Unhealthy(HealthLevel level, TaintEffect effect) {
    private JsonNode taint() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("key", AgentMarks.UNHEALTHY)
          .put("value", ApiJson.tree(level).asText())
          .put("effect", effect.value());
    }
  }

  /// The JSON patch that makes them so; empty where they are.
  ///
  /// @param node the live one
  public Optional<JsonNode> patch(JsonNode node) {
    JsonNode live = node.at(PATH);
    ArrayNode wanted = JsonNodeFactory.instance.arrayNode();
    boolean isThere = false;
    for (JsonNode taint : live) {
      String key = taint.path("key").asText();
      boolean isAsWanted = unhealthy.filter(it -> isSame(it.taint(), taint)).isPresent();
      isThere |= isAsWanted;
      if (key.equals(AgentMarks.UNHEALTHY)
          ? isAsWanted
          : !(key.equals(AgentMarks.NOT_READY) && isReady)) {
        wanted.add(taint);
      }
    }
    if (unhealthy.isPresent() && !isThere) {
      wanted.add(unhealthy.get().taint());
    }
    boolean isDone = live.isArray() ? live.equals(wanted) : wanted.isEmpty();
    return isDone ? Optional.empty() : Optional.of(AgentMarks.replacingTaints(live, wanted));
  }

  /// The API server adds the time to a taint that evicts.
  private static boolean isSame(JsonNode wanted, JsonNode live) {
    return wanted.properties().stream()
        .allMatch(field -> live.path(field.getKey()).equals(field.getValue()));
  }
}
