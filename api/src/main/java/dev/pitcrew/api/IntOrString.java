package dev.pitcrew.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;

/// A value that the API takes as a whole number or as text: a quantity, a count or a percentage.
public sealed interface IntOrString {

  /// Written as a JSON number.
  record Whole(@JsonValue long value) implements IntOrString {
    @Override
    public String text() {
      return Long.toString(value);
    }
  }

  /// Written as a JSON string.
  record Text(@JsonValue String value) implements IntOrString {
    @Override
    public String text() {
      return value;
    }
  }

  /// The value as text, whichever way it was written.
  String text();

  static IntOrString of(long value) {
    return new Whole(value);
  }

  static IntOrString of(String value) {
    return new Text(value);
  }

  /// Reads either form.
  ///
  /// @throws IllegalArgumentException if the value is neither a whole number nor text
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static IntOrString of(JsonNode node) {
    if (node.isIntegralNumber() && node.canConvertToLong()) {
      return new Whole(node.longValue());
    }
    if (node.isTextual()) {
      return new Text(node.textValue());
    }
    throw new IllegalArgumentException("must be a whole number or text");
  }
}
