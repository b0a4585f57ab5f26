package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// What lies in a cluster, of every kind that it serves, as `<plural>.<group> <namespace>/<name>`.
/// Left out are events, which are about the past, the leases of nodes, and APIServices, which come
/// and go with definitions.
record Inventory(ApiServer api) {
  private static final Set<String> LEFT_OUT = Set.of("events", "componentstatuses", "apiservices");
  private static final String NODE_LEASES = "kube-node-lease";

  /// A kind in one version; another version lists the same objects.
  private record Kind(String path, String plural, String group) {}

  /// Names everything that is there now.
  SortedSet<String> take() {
    var named = Stream.concat(Stream.of("/api/v1"), groupVersions()).flatMap(this::kinds);
    return named.flatMap(this::names).collect(Collectors.toCollection(TreeSet::new));
  }

  /// Names what was not there before.
  SortedSet<String> takeWithout(Set<String> before) {
    var now = take();
    now.removeAll(before);
    return now;
  }

  private Stream<String> groupVersions() {
    return elements(get("/apis").path("groups"))
        .flatMap(group -> elements(group.path("versions")))
        .map(version -> "/apis/" + version.path("groupVersion").asText());
  }

  private Stream<Kind> kinds(String groupVersion) {
    var words = groupVersion.split("/", -1);
    var group = words[1].equals("apis") ? "." + words[2] : "";
    return elements(get(groupVersion).path("resources"))
        .filter(resource ->
            elements(resource.path("verbs")).anyMatch(verb -> verb.asText().equals("list")))
        .map(resource -> resource.path("name").asText())
        .filter(plural -> !LEFT_OUT.contains(plural))
        .map(plural -> new Kind(groupVersion + "/" + plural, plural, group));
  }

  private Stream<String> names(Kind kind) {
    return api.list(kind.path()).stream()
        .map(object -> object.path("metadata"))
        .filter(metadata -> !metadata.path("namespace").asText().equals(NODE_LEASES))
        .map(metadata -> name(kind, metadata));
  }

  private static String name(Kind kind, JsonNode metadata) {
    return "%s%s %s/%s"
        .formatted(
            kind.plural(),
            kind.group(),
            metadata.path("namespace").asText(),
            metadata.path("name").asText());
  }

  private JsonNode get(String path) {
    return api.find(path).orElse(MissingNode.getInstance());
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
