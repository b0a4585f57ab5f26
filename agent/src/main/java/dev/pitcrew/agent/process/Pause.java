package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Who wants the driver for himself, as the labels of the Node tell.
final class Pause {
  private static final String WORD = "paused-for-";

  private Pause() {}

  /// The first function that is paused, such as
  /// `nvidia.com/gpu.deploy.device-plugin=paused-for-driver-upgrade, set by driver-manager`; empty
  /// where none is.
  static Optional<String> of(Situation situation) {
    return situation
        .settings()
        .flatMap(settings ->
            settings.functions().entrySet().stream()
                .flatMap(it -> words(it.getKey(), it.getValue()).stream())
                .findFirst())
        .map(words -> words + setBy(situation, words.substring(0, words.indexOf('='))));
  }

  /// Whether a Node has a label that pauses an operand, one of the agent's or another.
  static boolean isOn(JsonNode metadata) {
    return !labels(metadata).isEmpty();
  }

  /// The agent's word to whoever paused.
  static DriverRelease answer(JsonNode node, String name, String bootId) {
    JsonNode metadata = node.path("metadata");
    return new DriverRelease(
        DriverRelease.API_VERSION,
        name,
        bootId,
        metadata.path("resourceVersion").asText(""),
        labels(metadata),
        Map.of());
  }

  private static Map<String, String> labels(JsonNode metadata) {
    var paused = new TreeMap<String, String>();
    metadata
        .path("labels")
        .properties()
        .forEach(label -> {
          String value = label.getValue().asText();
          if (label.getKey().startsWith(NodeLabels.DEPLOY_PREFIX) && value.contains(WORD)) {
            paused.put(label.getKey(), value);
          }
        });
    return paused;
  }

  private static Optional<String> words(NodeFunction function, FunctionState state) {
    return state instanceof FunctionState.Paused(var by)
        ? function.label().map(label -> label + "=" + by)
        : Optional.empty();
  }

  /// The API server keeps who wrote a label last.
  private static String setBy(Situation situation, String label) {
    return situation
        .cluster()
        .nodeObject()
        .flatMap(node -> owner(node.at("/metadata/managedFields"), "f:" + label))
        .map(manager -> ", set by " + manager)
        .orElse("");
  }

  private static Optional<String> owner(JsonNode managedFields, String field) {
    return managedFields
        .valueStream()
        .filter(entry -> entry.at("/fieldsV1/f:metadata/f:labels").has(field))
        .map(entry -> entry.path("manager").asText(""))
        .filter(manager -> !manager.isEmpty())
        .findFirst();
  }
}
