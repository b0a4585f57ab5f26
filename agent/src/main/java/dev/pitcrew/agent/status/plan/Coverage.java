package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Whether a live status says all that a wanted one says. Others may say more. The time of a
/// transition alone makes no difference.
final class Coverage {
  private static final Set<String> TIMES = Set.of("lastTransitionTime", "since");

  /// The keys of the lists of objects in the status, as their schema says.
  private static final List<String> KEYS = List.of("pciAddress", "uuid", "type", "name");

  private Coverage() {}

  static boolean covers(JsonNode live, JsonNode wanted) {
    return switch (wanted.getNodeType()) {
      case OBJECT ->
          live.isObject()
              && wanted.properties().stream()
                  .filter(field -> !TIMES.contains(field.getKey()))
                  .allMatch(field -> covers(live.path(field.getKey()), field.getValue()));
      case ARRAY -> live.isArray() && coversList(live, wanted);
      default ->
          live.getNodeType() == wanted.getNodeType() && live.asText().equals(wanted.asText());
    };
  }

  private static boolean coversList(JsonNode live, JsonNode wanted) {
    return elements(wanted).anyMatch(JsonNode::isObject)
        ? elements(wanted)
            .allMatch(it -> sameKey(live, it).filter(at -> covers(at, it)).isPresent())
        : values(live).equals(values(wanted));
  }

  private static Optional<JsonNode> sameKey(JsonNode live, JsonNode wanted) {
    return KEYS.stream()
        .filter(wanted::has)
        .findFirst()
        .flatMap(
            key -> elements(live).filter(it -> it.path(key).equals(wanted.path(key))).findFirst());
  }

  /// The order of a set is the API server's, and that of evidence never changes alone.
  private static Set<String> values(JsonNode list) {
    return elements(list).map(JsonNode::asText).collect(Collectors.toSet());
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
