package dev.pitcrew.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.node.AgentMarks;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What takes an agent's marks off a node where no agent runs any more: one that is killed, or
/// loses its rights before it ends, leaves them behind.
///
/// @param taints a JSON patch of the Node; empty where it has none of them
/// @param condition a strategic merge patch of its status, likewise
public record LeftMarks(Optional<JsonNode> taints, Optional<JsonNode> condition) {

  /// Reads a Node as the API server sends it or as [NodeSlimming] keeps it.
  public static LeftMarks of(Node node) {
    return new LeftMarks(taints(node), condition(node));
  }

  /// Whether agents have applied labels.
  public static boolean hasLabels(Node node) {
    return !NodeSlimming.agentEntries(node.getMetadata()).isEmpty();
  }

  /// What an agent that wants no label would apply.
  public static Node nothing(Node node) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(node.getMetadata().getName())
        .endMetadata()
        .build();
  }

  private static Optional<JsonNode> taints(Node node) {
    List<Taint> live =
        node.getSpec() == null
            ? List.of()
            : Objects.requireNonNullElse(node.getSpec().getTaints(), List.of());
    ArrayNode before = array(live.stream());
    ArrayNode after =
        array(live.stream().filter(taint -> !AgentMarks.TAINTS.contains(taint.getKey())));
    return after.size() == before.size()
        ? Optional.empty()
        : Optional.of(AgentMarks.replacingTaints(before, after));
  }

  private static ArrayNode array(Stream<Taint> taints) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    taints.forEach(taint -> {
      ObjectNode item = array.addObject();
      put(item, "key", taint.getKey());
      put(item, "value", taint.getValue());
      put(item, "effect", taint.getEffect());
      put(item, "timeAdded", taint.getTimeAdded());
    });
    return array;
  }

  private static void put(ObjectNode item, String field, @Nullable String value) {
    if (value != null) {
      item.put(field, value);
    }
  }

  private static Optional<JsonNode> condition(Node node) {
    return condition(node.getStatus() == null ? List.of() : node.getStatus().getConditions())
        .filter(it -> AgentMarks.REASONS.contains(it.getReason()))
        .map(_ -> AgentMarks.withoutCondition());
  }

  /// The agent's among all.
  static Optional<NodeCondition> condition(@Nullable List<NodeCondition> all) {
    return Objects.requireNonNullElse(all, List.<NodeCondition>of()).stream()
        .filter(it -> AgentMarks.CONDITION.equals(it.getType()))
        .findFirst();
  }
}
