package dev.pitcrew.kube.apply;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The fields of an object that we own, and what they say in a given object.
sealed interface FieldSet {

  /// The name in FieldsV1 that stands for the value itself beside its members.
  String SELF = ".";

  /// All of the value: a scalar, an atomic list or an atomic map.
  record Whole() implements FieldSet {}

  /// Only that the value is there: an empty map or list of ours, which others may fill.
  record Presence() implements FieldSet {}

  /// Some members of the value, in a fixed order.
  record Members(List<Member> members) implements FieldSet {}

  /// One member and what we own of it.
  record Member(Step step, FieldSet below) {}

  /// Reads FieldsV1.
  ///
  /// @param value what the fields say in the API server's response to our apply; it distinguishes
  ///   an empty map that we own from an atomic one
  static FieldSet of(JsonNode fields, JsonNode value) {
    var members = new ArrayList<Member>();
    sorted(fields).forEach((name, below) -> members.add(member(name, below, value)));
    if (!members.isEmpty()) {
      return new Members(List.copyOf(members));
    }
    boolean isEmptyContainer = value.isContainerNode() && value.isEmpty();
    return fields.has(SELF) || isEmptyContainer ? new Presence() : new Whole();
  }

  /// The same text for two objects in which our fields say the same.
  default String projection(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return "absent";
    }
    return switch (this) {
      case Whole() -> Canonical.text(value);
      case Presence() -> "present";
      case Members(List<Member> members) -> projection(members, value);
    };
  }

  private static String projection(List<Member> members, JsonNode value) {
    var text = new StringBuilder("{");
    members.forEach(
        member -> text.append(member.below().projection(member.step().from(value))).append(','));
    return text.append('}').toString();
  }

  private static Member member(String name, JsonNode below, JsonNode value) {
    Step step = Step.parse(name);
    return new Member(step, of(below, step.from(value)));
  }

  private static Map<String, JsonNode> sorted(JsonNode fields) {
    var sorted = new TreeMap<String, JsonNode>();
    fields.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
    sorted.remove(SELF);
    return sorted;
  }
}
