package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Reads an object of the settings field by field and collects what is wrong with it. It never
/// throws, whatever the tree is.
///
/// @param path such as `sharing.mpsConfig`; empty for the root
/// @param malformed of the form: refused wherever the settings are
/// @param invalid of the values: refused where the settings apply
record ObjectReader(
    JsonNode node, String path, List<SettingsProblem> malformed, List<SettingsProblem> invalid) {
  private static final int LONGEST_VALUE = 64;
  private static final String VERSION = "resource.nvidia.com/v1beta1";

  static ObjectReader root(JsonNode node) {
    var reader = new ObjectReader(node, "", new ArrayList<>(), new ArrayList<>());
    if (!node.isObject()) {
      reader.malformed.add(new SettingsProblem.NotAllowed("parameters", show(node), "an object"));
    }
    return reader;
  }

  /// The kind of settings. An unknown version or kind is malformed.
  Optional<String> kind(List<String> kinds) {
    Optional<String> version = text("apiVersion");
    Optional<String> kind = text("kind");
    if (malformed.isEmpty() && version.filter(VERSION::equals).isEmpty()) {
      malformed.add(unknown("apiVersion", version, VERSION));
    }
    if (malformed.isEmpty() && kind.filter(kinds::contains).isEmpty()) {
      malformed.add(unknown("kind", kind, String.join(", ", kinds)));
    }
    return malformed.isEmpty() ? kind : Optional.empty();
  }

  private static SettingsProblem unknown(String field, Optional<String> value, String allowed) {
    return value
        .<SettingsProblem>map(it -> new SettingsProblem.NotAllowed(field, quoted(it), allowed))
        .orElseGet(() -> new SettingsProblem.Missing(field, allowed));
  }

  /// Names the fields that the object may have.
  ObjectReader allow(String... names) {
    List<String> allowed = List.of(names);
    node.properties().stream()
        .map(Map.Entry::getKey)
        .filter(name -> !allowed.contains(name))
        .findFirst()
        .ifPresent(name ->
            malformed.add(new SettingsProblem.UnknownField(at(name), String.join(", ", allowed))));
    return this;
  }

  String at(String field) {
    return path.isEmpty() ? shorten(field) : path + "." + shorten(field);
  }

  /// Empty where the field is missing or null, as Go's decoder takes both.
  private Optional<JsonNode> find(String field) {
    return Optional.ofNullable(node.get(field)).filter(it -> !it.isNull() && !it.isMissingNode());
  }

  Optional<ObjectReader> object(String field) {
    return typed(field, "an object", it -> it.isObject() ? Optional.of(it) : Optional.empty())
        .map(it -> new ObjectReader(it, at(field), malformed, invalid));
  }

  Optional<String> text(String field) {
    return typed(
        field, "a text", it -> it.isTextual() ? Optional.of(it.asText()) : Optional.empty());
  }

  Optional<Boolean> bool(String field) {
    return typed(
        field,
        "true, false",
        it -> it.isBoolean() ? Optional.of(it.booleanValue()) : Optional.empty());
  }

  Optional<Integer> integer(String field, String allowed) {
    return typed(
        field,
        allowed,
        it ->
            it.isIntegralNumber() && it.canConvertToInt()
                ? Optional.of(it.intValue())
                : Optional.empty());
  }

  /// In bytes; a number counts as its text.
  Optional<Long> quantity(String field) {
    return typed(
        field,
        MemoryQuantity.ALLOWED,
        it ->
            it.isTextual() || it.isNumber() ? MemoryQuantity.bytes(it.asText()) : Optional.empty());
  }

  /// One of a few values, such as those of an enumeration.
  <T> Optional<T> choice(String field, Function<String, Optional<T>> read, String allowed) {
    Optional<String> text = text(field);
    Optional<T> value = text.flatMap(read);
    text.filter(_ -> value.isEmpty())
        .ifPresent(it -> refuse(new SettingsProblem.NotAllowed(at(field), quoted(it), allowed)));
    return value;
  }

  /// Refuses settings without the field.
  void require(String field, String allowed) {
    if (find(field).isEmpty()) {
      refuse(new SettingsProblem.Missing(at(field), allowed));
    }
  }

  private <T> Optional<T> typed(
      String field, String allowed, Function<JsonNode, Optional<T>> read) {
    Optional<JsonNode> found = find(field);
    Optional<T> value = found.flatMap(read);
    if (found.isPresent() && value.isEmpty()) {
      malformed.add(new SettingsProblem.NotAllowed(at(field), show(found.get()), allowed));
    }
    return value;
  }

  void refuse(SettingsProblem problem) {
    invalid.add(problem);
  }

  /// The names of the fields, of which there may be any.
  List<String> names() {
    return node.properties().stream().map(Map.Entry::getKey).toList();
  }

  /// A value for a message, never long.
  static String show(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT, POJO -> "an object";
      case ARRAY -> "a list";
      case STRING -> quoted(value.asText());
      case NUMBER, BOOLEAN, BINARY -> shorten(value.asText());
      case NULL, MISSING -> "null";
    };
  }

  static String quoted(String value) {
    return '"' + shorten(value) + '"';
  }

  static String shorten(String text) {
    String clean =
        text.codePoints()
            .limit(LONGEST_VALUE)
            .collect(
                StringBuilder::new,
                (into, point) -> into.appendCodePoint(Character.isISOControl(point) ? ' ' : point),
                StringBuilder::append)
            .toString();
    return clean.length() < text.length() ? clean + "…" : clean;
  }
}
