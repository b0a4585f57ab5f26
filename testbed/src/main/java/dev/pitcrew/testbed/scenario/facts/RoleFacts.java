package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Facts of roles and bindings: each single permission, each subject.
final class RoleFacts {

  /// Rules grouped differently permit the same, so each becomes `group/resource[name] verb`.
  static ObjectNode role(JsonNode object) {
    var permissions = elements(object.path("rules")).flatMap(RoleFacts::permissions);
    return new FactObject().with("rules", FactObject.setOf(permissions)).build();
  }

  private static Stream<String> permissions(JsonNode rule) {
    var groups = textsOrBlank(rule.path("apiGroups"));
    var resources = FactObject.texts(rule.path("resources"));
    var inGroups =
        groups.stream()
            .map(group -> group.isEmpty() ? "core" : group)
            .flatMap(group -> resources.stream().map(resource -> group + "/" + resource));
    var targets = Stream.concat(inGroups, FactObject.texts(rule.path("nonResourceURLs")).stream());
    var names =
        textsOrBlank(rule.path("resourceNames")).stream()
            .map(name -> name.isEmpty() ? "" : "[" + name + "]")
            .toList();
    var verbs = FactObject.texts(rule.path("verbs"));
    return targets
        .flatMap(target -> names.stream().map(name -> target + name))
        .flatMap(target -> verbs.stream().map(verb -> target + " " + verb));
  }

  private static List<String> textsOrBlank(JsonNode list) {
    return list.isEmpty() ? List.of("") : FactObject.texts(list);
  }

  static ObjectNode binding(JsonNode object, Recording recording) {
    var role = object.path("roleRef");
    var subjects = elements(object.path("subjects")).map(subject -> subject(subject, recording));
    return new FactObject()
        .with("roleRef", role.path("kind").asText() + "/" + role.path("name").asText())
        .with("subjects", FactObject.setOf(subjects))
        .build();
  }

  private static String subject(JsonNode subject, Recording recording) {
    var namespace = recording.ownNamespace(subject.path("namespace").asText());
    return subject.path("kind").asText() + " " + namespace + "/" + subject.path("name").asText();
  }

  private static Stream<JsonNode> elements(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  private RoleFacts() {}
}
