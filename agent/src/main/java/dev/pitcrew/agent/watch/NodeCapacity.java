package dev.pitcrew.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.nodestatus.plan.NodeStatus;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// How many GPUs and MIG devices the kubelet says that it has.
public final class NodeCapacity {
  static final String FIELD = "capacity";
  private static final String LEFT = "allocatable";

  private NodeCapacity() {}

  /// The part of a Node's capacity that is kept.
  static void keep(JsonNode node, ObjectNode status) {
    ObjectNode kept = status.putObject(FIELD);
    resources(node, FIELD).forEach(it -> kept.set(it.getKey(), it.getValue()));
  }

  public static long of(Optional<JsonNode> node) {
    return of(node, FIELD);
  }

  /// Those that are well.
  public static long allocatable(Optional<JsonNode> node) {
    return of(node, LEFT);
  }

  private static long of(Optional<JsonNode> node, String field) {
    try {
      return node.map(it -> resources(it, field).mapToLong(NodeCapacity::count).sum())
          .orElse(NodeStatus.UNKNOWN);
    } catch (NumberFormatException _) {
      return NodeStatus.UNKNOWN;
    }
  }

  private static Stream<Map.Entry<String, JsonNode>> resources(JsonNode node, String field) {
    return node.path("status").path(field).properties().stream()
        .filter(it -> isDevice(it.getKey()));
  }

  private static boolean isDevice(String resource) {
    return resource.startsWith("nvidia.com/gpu") || resource.startsWith("nvidia.com/mig-");
  }

  /// Devices are counted, so that no quantity of theirs has a suffix.
  private static long count(Map.Entry<String, JsonNode> resource) {
    return Long.parseLong(resource.getValue().asText());
  }
}
