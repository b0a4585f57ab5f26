package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// Builds a JSON object in which what is missing, null or empty has no entry; `0` and `false` have.
final class FactObject {
  private final ObjectNode entries = JsonNodeFactory.instance.objectNode();

  FactObject with(String key, JsonNode value) {
    if (!isEmpty(value)) {
      entries.set(key, value);
    }
    return this;
  }

  FactObject with(String key, String text) {
    return with(key, TextNode.valueOf(text));
  }

  FactObject withNumber(String key, int number) {
    entries.put(key, number);
    return this;
  }

  FactObject withAll(JsonNode object) {
    object.properties().forEach(entry -> with(entry.getKey(), entry.getValue()));
    return this;
  }

  FactObject withClaim(String key, boolean holds) {
    return holds ? with(key, BooleanNode.TRUE) : this;
  }

  ObjectNode build() {
    return entries;
  }

  /// The entries of an object that have a value.
  static ObjectNode withoutEmpty(JsonNode object) {
    return new FactObject().withAll(object).build();
  }

  /// Whether a value says nothing: missing, null, `""`, `[]` or `{}`.
  static boolean isEmpty(JsonNode value) {
    return switch (value.getNodeType()) {
      case MISSING, NULL -> true;
      case STRING -> value.textValue().isEmpty();
      case ARRAY, OBJECT -> value.isEmpty();
      case BINARY, BOOLEAN, NUMBER, POJO -> false;
    };
  }

  /// A list whose order has no meaning and whose entries are plain words, as an object.
  static ObjectNode setOf(Stream<String> names) {
    var set = JsonNodeFactory.instance.objectNode();
    names.forEach(name -> set.put(name, true));
    return set;
  }

  /// A list whose order has no meaning, as an object. A name that comes again gets `#2`, `#3` and
  /// so on, so that a duplicate shows.
  static ObjectNode named(
      JsonNode list, Function<JsonNode, String> name, Function<JsonNode, JsonNode> value) {
    var object = JsonNodeFactory.instance.objectNode();
    for (var item : list) {
      object.set(freeName(object, name.apply(item)), value.apply(item));
    }
    return object;
  }

  static ObjectNode named(JsonNode list, Function<JsonNode, JsonNode> value) {
    return named(list, item -> item.path("name").asText(), value);
  }

  private static String freeName(ObjectNode taken, String name) {
    var free = name;
    for (var count = 2; taken.has(free); count++) {
      free = name + "#" + count;
    }
    return free;
  }

  /// A list whose order is a fact.
  static JsonNode listOf(Collection<String> texts) {
    var list = JsonNodeFactory.instance.arrayNode();
    texts.forEach(list::add);
    return list;
  }

  /// The `name` of each item, null where it has none.
  static JsonNode namesOf(JsonNode items) {
    var list = JsonNodeFactory.instance.arrayNode();
    items.forEach(item -> list.add(item.get("name")));
    return list;
  }

  /// The texts of a JSON list.
  static List<String> texts(JsonNode list) {
    var texts = new ArrayList<String>();
    list.forEach(item -> texts.add(item.asText()));
    return texts;
  }
}
