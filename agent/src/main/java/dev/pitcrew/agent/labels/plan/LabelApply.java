package dev.pitcrew.agent.labels.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.OwnedFields;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The body of a server-side apply of a Node's labels, decided from the live Node alone: who owns
/// which label is written there, so that a restart writes nothing and forgets nothing.
///
/// - GPU labels (`nvidia.com/`) are taken over by force from any other writer. NFD writes one only
///   when its own features change, so that the two do not alternate.
/// - A feature label (`feature.node.kubernetes.io/`) that another manager owns stays theirs, and so
///   does one that NFD lists in its annotation, unless the mode is [DiscoveryMode#NATIVE]. One
///   exception: a label that the agent alone owns is kept although NFD lists it, for NFD writes no
///   label that is there already, and giving up its ownership would take it off the Node.
///
/// @param body to be applied with force; empty where the Node is as wanted
/// @param problems labels that are not written and why, a line each
public record LabelApply(Optional<JsonNode> body, List<String> problems) {
  public LabelApply {
    problems = List.copyOf(problems);
  }

  /// @param node the live one with `metadata.managedFields`
  /// @param wanted all labels that the agent would have on the Node
  public static LabelApply of(JsonNode node, Map<String, String> wanted, DiscoveryMode mode) {
    List<String> problems =
        wanted.entrySet().stream()
            .flatMap(it -> LabelSyntax.problem(it.getKey(), it.getValue()).stream())
            .sorted()
            .toList();
    var legal = new TreeMap<>(wanted);
    legal.entrySet().removeIf(it -> LabelSyntax.problem(it.getKey(), it.getValue()).isPresent());
    SortedMap<String, String> ours = withoutOthers(node, legal, mode);
    return new LabelApply(
        Optional.of(body(node, ours)).filter(_ -> !isAsWanted(node, ours)), problems);
  }

  /// The labels that the agent owns, with the values that they have.
  static SortedMap<String, String> owned(JsonNode node) {
    JsonNode live = labels(node);
    var owned = new TreeMap<String, String>();
    OwnedFields.labels(OwnedFields.ofAgent(node, ""))
        .filter(live::has)
        .forEach(key -> owned.put(key, live.path(key).asText()));
    return owned;
  }

  private static SortedMap<String, String> withoutOthers(
      JsonNode node, SortedMap<String, String> wanted, DiscoveryMode mode) {
    if (mode == DiscoveryMode.NATIVE) {
      return wanted;
    }
    Set<String> theirs =
        OwnedFields.ofOthers(node).flatMap(OwnedFields::labels).collect(Collectors.toSet());
    Set<String> allowed = allowed(node, wanted, mode);
    var ours = new TreeMap<>(wanted);
    ours.keySet()
        .removeIf(
            key -> LabelSyntax.isFeature(key) && (theirs.contains(key) || !allowed.contains(key)));
    return ours;
  }

  /// What the mode leaves to us, and what NFD lists although it is ours.
  private static Set<String> allowed(
      JsonNode node, SortedMap<String, String> wanted, DiscoveryMode mode) {
    String listed =
        node.path("metadata").path("annotations").path(Coexistence.OWNED_LABELS).asText("");
    Set<String> unlisted = Coexistence.toWrite(wanted, listed, DiscoveryMode.AUTO).keySet();
    var allowed = new HashSet<>(owned(node).keySet());
    allowed.removeAll(unlisted);
    allowed.addAll(Coexistence.toWrite(wanted, listed, mode).keySet());
    return allowed;
  }

  private static boolean isAsWanted(JsonNode node, SortedMap<String, String> ours) {
    return ours.equals(owned(node));
  }

  private static JsonNode body(JsonNode node, SortedMap<String, String> ours) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("apiVersion", "v1").put("kind", "Node");
    ObjectNode metadata = body.putObject("metadata");
    metadata.put("name", node.path("metadata").path("name").asText());
    ObjectNode labels = metadata.putObject("labels");
    ours.forEach(labels::put);
    return body;
  }

  private static JsonNode labels(JsonNode node) {
    return node.path("metadata").path("labels");
  }
}
