package dev.pitcrew.charts;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// One thing that a role allows.
///
/// @param resource `group/resource`; the core group is `core`
/// @param name the only object that it is allowed on, if it is limited
record Permission(String resource, Optional<String> name, String verb) {
  private static final Pattern RECORDED =
      Pattern.compile("(?<resource>[^\\[ ]+)(\\[(?<name>[^]]+)])? (?<verb>\\S+)");

  /// From the recorded form `group/resource[name] verb`.
  static Permission parse(String text) {
    var matcher = RECORDED.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Not a permission: " + text);
    }
    return new Permission(
        matcher.group("resource"),
        Optional.ofNullable(matcher.group("name")),
        matcher.group("verb"));
  }

  static Stream<Permission> of(JsonNode role) {
    return stream(role.path("rules")).flatMap(Permission::ofRule);
  }

  /// Whether the holder of this one may grant the other.
  boolean covers(Permission other) {
    return resource.equals(other.resource)
        && verb.equals(other.verb)
        && (name.isEmpty() || name.equals(other.name));
  }

  private static Stream<Permission> ofRule(JsonNode rule) {
    var names =
        rule.has("resourceNames")
            ? texts(rule.path("resourceNames")).stream().map(Optional::of).toList()
            : List.of(Optional.<String>empty());
    return texts(rule.path("apiGroups")).stream()
        .map(group -> group.isEmpty() ? "core" : group)
        .flatMap(group -> texts(rule.path("resources")).stream().map(r -> group + "/" + r))
        .flatMap(resource -> names.stream().map(name -> new Permission(resource, name, "")))
        .flatMap(p -> texts(rule.path("verbs")).stream().map(p::withVerb));
  }

  private Permission withVerb(String verb) {
    return new Permission(resource, name, verb);
  }

  private static List<String> texts(JsonNode array) {
    return stream(array).map(JsonNode::asText).toList();
  }

  private static Stream<JsonNode> stream(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
