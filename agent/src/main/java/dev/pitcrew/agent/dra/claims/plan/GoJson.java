package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/// JSON with the bytes of Go's `encoding/json`, over which checksums are computed: compact, with
/// `<`, `>`, `&`, U+2028 and U+2029 escaped.
final class GoJson {
  private GoJson() {}

  static String text(JsonNode node) {
    var text = new StringBuilder();
    write(node, text);
    return text.toString();
  }

  static void write(JsonNode node, StringBuilder into) {
    switch (node.getNodeType()) {
      case OBJECT -> {
        char separator = '{';
        for (Map.Entry<String, JsonNode> field : node.properties()) {
          into.append(separator);
          quote(field.getKey(), into);
          write(field.getValue(), into.append(':'));
          separator = ',';
        }
        into.append(separator == '{' ? "{}" : "}");
      }
      case ARRAY -> {
        char separator = '[';
        for (JsonNode item : node) {
          write(item, into.append(separator));
          separator = ',';
        }
        into.append(separator == '[' ? "[]" : "]");
      }
      case STRING, BINARY, POJO -> quote(node.asText(), into);
      case NUMBER, BOOLEAN -> into.append(node.asText());
      case NULL, MISSING -> into.append("null");
    }
  }

  static void quote(String value, StringBuilder into) {
    into.append('"');
    for (int i = 0; i < value.length(); i++) {
      escape(value.charAt(i), into);
    }
    into.append('"');
  }

  private static void escape(char c, StringBuilder into) {
    switch (c) {
      case '"' -> into.append("\\\"");
      case '\\' -> into.append("\\\\");
      case '\b' -> into.append("\\b");
      case '\f' -> into.append("\\f");
      case '\n' -> into.append("\\n");
      case '\r' -> into.append("\\r");
      case '\t' -> into.append("\\t");
      case '<', '>', '&', '\u2028', '\u2029' -> unicode(c, into);
      default -> {
        if (c < ' ') {
          unicode(c, into);
        } else {
          into.append(c);
        }
      }
    }
  }

  private static void unicode(char c, StringBuilder into) {
    into.append("\\u").append("%04x".formatted((int) c));
  }

  /// A valid JSON text without white space outside of its strings.
  static String compact(String json) {
    var text = new StringBuilder(json.length());
    boolean isString = false;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (c == '"') {
        isString = !isString;
      }
      if (isString || !Character.isWhitespace(c)) {
        text.append(c);
      }
      if (c == '\\' && i + 1 < json.length()) {
        i++;
        text.append(json.charAt(i));
      }
    }
    return text.toString();
  }

  /// The fields of a valid compact object, each as its text, in their order.
  static Map<String, String> fields(String object) {
    var fields = new LinkedHashMap<String, String>();
    int at = 1;
    while (at < object.length() - 1) {
      int colon = end(object, at);
      int end = end(object, colon + 1);
      fields.put(object.substring(at + 1, colon - 1), object.substring(colon + 1, end));
      at = end + 1;
    }
    return fields;
  }

  /// The first `,`, `:` or closing bracket from `start` on that is outside of a string and of any
  /// value in between.
  private static int end(String json, int start) {
    int depth = 0;
    for (int i = start; i < json.length(); i++) {
      char c = json.charAt(i);
      if (c == '"') {
        i = endOfString(json, i);
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (depth == 0 && (c == ',' || c == ':' || c == '}' || c == ']')) {
        return i;
      } else if (c == '}' || c == ']') {
        depth--;
      }
    }
    return json.length();
  }

  private static int endOfString(String json, int start) {
    int i = start + 1;
    while (i < json.length() && json.charAt(i) != '"') {
      i += json.charAt(i) == '\\' ? 2 : 1;
    }
    return i;
  }
}
