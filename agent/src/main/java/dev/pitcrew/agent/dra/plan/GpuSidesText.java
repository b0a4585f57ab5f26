package dev.pitcrew.agent.dra.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The sides of GPUs as JSON, for the next agent of the node: an object with a side for each UUID.
public final class GpuSidesText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private GpuSidesText() {}

  public static String write(GpuSides sides) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    new TreeMap<>(sides.byUuid()).forEach((uuid, side) -> root.put(uuid, side.name()));
    return root.toString();
  }

  /// What is not readable counts as not known.
  public static GpuSides read(String text) {
    var known =
        Arrays.stream(GpuSide.values()).collect(Collectors.toMap(GpuSide::name, side -> side));
    var sides = new HashMap<String, GpuSide>();
    try {
      for (Map.Entry<String, JsonNode> entry : JSON.readTree(text).properties()) {
        Optional.ofNullable(known.get(entry.getValue().asText()))
            .ifPresent(side -> sides.put(entry.getKey(), side));
      }
    } catch (JsonProcessingException _) {
      return GpuSides.NONE;
    }
    return new GpuSides(sides);
  }
}
