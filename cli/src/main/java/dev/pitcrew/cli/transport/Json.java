package dev.pitcrew.cli.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// One value of a JSON document. What is absent, null or of another type reads as empty: the plugin
/// may be of another version than the cluster.
///
/// @param value a map, a list, text, a number or a boolean
public record Json(Object value) {
  private static final Json ABSENT = new Json(Map.of());

  /// Reads a document, whose first value may be a list.
  ///
  /// @throws RefusedException where it is none
  public static Json read(String text) {
    String document = "{\"document\":" + text + "}";
    try {
      return JsonReading.whole(new ByteArrayInputStream(document.getBytes(UTF_8))).at("document");
    } catch (IOException broken) {
      throw new RefusedException(
          new Refusal(Refusal.Kind.FAILED, "the answer cannot be read: " + broken.getMessage()));
    }
  }

  /// The value at that path of fields.
  public Json at(String... path) {
    Object at = value;
    for (String field : path) {
      if (!(at instanceof Map<?, ?> fields && fields.containsKey(field))) {
        return ABSENT;
      }
      at = Objects.requireNonNull(fields.get(field));
    }
    return new Json(at);
  }

  public String text() {
    return switch (value) {
      case Map<?, ?> _ -> "";
      case List<?> _ -> "";
      default -> value.toString();
    };
  }

  public long number() {
    return value instanceof Number number ? number.longValue() : 0;
  }

  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  public boolean isEmpty() {
    return value.equals(Map.of()) || value.equals(List.of()) || value.equals("");
  }

  public List<Json> items() {
    return value instanceof List<?> items ? items.stream().map(Json::new).toList() : List.of();
  }

  public List<String> texts() {
    return items().stream().map(Json::text).toList();
  }

  /// Fields that have text, such as labels.
  public Map<String, String> textFields() {
    var fields = new LinkedHashMap<String, String>();
    if (value instanceof Map<?, ?> all) {
      all.forEach((name, field) -> fields.put(name.toString(), new Json(field).text()));
    }
    return fields;
  }
}
