package dev.pitcrew.agent.settings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.settings.SettingsSource.WatchedConfigMap;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A source as text and back, for the file that outlives the process. Whatever is not a whole text
/// of this version reads as nothing: the API server has the truth.
public final class SettingsText {
  private static final int VERSION = 1;

  /// The API server keeps objects of 1.5 MB, and the source has two of them.
  private static final int LONGEST = 8 << 20;

  private SettingsText() {}

  public static String write(SettingsSource source) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("version", VERSION);
    root.put("namespace", source.namespace());
    source.agentJson().ifPresent(text -> root.put("agentJson", text));
    root.set("nodeLabels", object(source.nodeLabels()));
    ArrayNode maps = root.putArray("configMaps");
    source.configMaps().stream()
        .sorted(Comparator.comparing(WatchedConfigMap::name))
        .forEach(map -> maps.add(object(map)));
    ArrayNode modules = root.putArray("kernelModules");
    source.kernelModules().stream().sorted().forEach(modules::add);
    return root + "\n";
  }

  /// Empty where the text is cut short, damaged, too long or of another version.
  public static Optional<SettingsSource> read(String text) {
    if (text.length() > LONGEST) {
      return Optional.empty();
    }
    try {
      JsonNode root = ApiJson.read(text, JsonNode.class);
      return root.path("version").asInt() == VERSION && root.path("namespace").isTextual()
          ? Optional.of(source(root))
          : Optional.empty();
    } catch (UnreadableResource _) {
      return Optional.empty();
    }
  }

  private static SettingsSource source(JsonNode root) {
    return new SettingsSource(
        root.path("namespace").asText(),
        Optional.of(root.path("agentJson")).filter(JsonNode::isTextual).map(JsonNode::asText),
        texts(root.path("nodeLabels")),
        configMaps(root),
        elements(root.path("kernelModules")));
  }

  /// An older agent wrote at most one.
  private static Set<WatchedConfigMap> configMaps(JsonNode root) {
    return Stream.concat(Stream.of(root.path("configMap")), root.path("configMaps").valueStream())
        .filter(JsonNode::isObject)
        .map(SettingsText::configMap)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static ObjectNode object(WatchedConfigMap configMap) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("name", configMap.name());
    configMap.data().ifPresent(data -> object.set("data", object(data)));
    return object;
  }

  private static WatchedConfigMap configMap(JsonNode object) {
    return new WatchedConfigMap(
        object.path("name").asText(),
        Optional.of(object.path("data")).filter(JsonNode::isObject).map(SettingsText::texts));
  }

  /// In the order of the keys, so that equal sources are equal texts.
  private static ObjectNode object(Map<String, String> texts) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    new TreeMap<>(texts).forEach(object::put);
    return object;
  }

  private static Map<String, String> texts(JsonNode object) {
    return object.properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().asText()));
  }

  private static Set<String> elements(JsonNode array) {
    return array.valueStream().map(JsonNode::asText).collect(Collectors.toSet());
  }
}
