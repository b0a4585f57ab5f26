package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Facts as text, always the same text for the same facts: keys sorted, one blank per level, only
/// ASCII characters. Fact files are compared and kept in this form.
public final class FactsText {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double SMALLEST_PLAIN = 1e-4;
  private static final double LARGEST_PLAIN = 1e16;

  private final StringBuilder out = new StringBuilder();
  private final boolean isIndented;

  private FactsText(boolean isIndented) {
    this.isIndented = isIndented;
  }

  /// The content of a facts file.
  public static String indented(JsonNode facts) {
    var text = new FactsText(true);
    text.write(facts, 1);
    return text.out.append('\n').toString();
  }

  /// One value on one line.
  public static String compact(JsonNode value) {
    var text = new FactsText(false);
    text.write(value, 1);
    return text.out.toString();
  }

  /// The facts in the text of a file.
  ///
  /// @throws IllegalArgumentException where it is not JSON
  public static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private void write(JsonNode value, int depth) {
    switch (value.getNodeType()) {
      case OBJECT -> writeObject(value, depth);
      case ARRAY -> writeArray(value, depth);
      case STRING -> writeText(value.textValue());
      case NUMBER -> out.append(number(value));
      case BOOLEAN -> out.append(value.booleanValue());
      case BINARY, MISSING, NULL, POJO -> out.append("null");
    }
  }

  private void writeObject(JsonNode object, int depth) {
    var sorted = new TreeMap<String, JsonNode>();
    object.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    Set<Map.Entry<String, JsonNode>> entries = sorted.entrySet();
    out.append('{');
    for (var rest = entries.iterator(); rest.hasNext(); ) {
      var entry = rest.next();
      beginItem(depth);
      writeText(entry.getKey());
      out.append(": ");
      write(entry.getValue(), depth + 1);
      endItem(rest);
    }
    close('}', object, depth);
  }

  private void writeArray(JsonNode array, int depth) {
    out.append('[');
    for (var rest = array.iterator(); rest.hasNext(); ) {
      beginItem(depth);
      write(rest.next(), depth + 1);
      endItem(rest);
    }
    close(']', array, depth);
  }

  private void beginItem(int depth) {
    if (isIndented) {
      out.append('\n').repeat(" ", depth);
    }
  }

  private void endItem(Iterator<?> rest) {
    if (rest.hasNext()) {
      out.append(isIndented ? "," : ", ");
    }
  }

  private void close(char bracket, JsonNode container, int depth) {
    if (isIndented && !container.isEmpty()) {
      out.append('\n').repeat(" ", depth - 1);
    }
    out.append(bracket);
  }

  private void writeText(String text) {
    out.append('"');
    text.chars().forEach(character -> writeCharacter((char) character));
    out.append('"');
  }

  private void writeCharacter(char character) {
    switch (character) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      default -> {
        if (character >= ' ' && character <= '~') {
          out.append(character);
        } else {
          out.append("\\u%04x".formatted((int) character));
        }
      }
    }
  }

  /// A whole number and a fraction stay apart: `1` and `1.0` are two facts.
  private static String number(JsonNode number) {
    if (number.isIntegralNumber()) {
      return number.asText();
    }
    var value = number.doubleValue();
    var magnitude = Math.abs(value);
    var isPlain = value == 0 || (magnitude >= SMALLEST_PLAIN && magnitude < LARGEST_PLAIN);
    var text = Double.toString(value);
    return isPlain ? plain(text) : scientific(text);
  }

  private static String plain(String text) {
    if (!text.contains("E")) {
      return text;
    }
    var digits = new BigDecimal(text).toPlainString();
    return digits.contains(".") ? digits : digits + ".0";
  }

  /// Two digits of exponent with a sign, and no fraction that is zero: `1e+16`, `2.5e-05`.
  private static String scientific(String text) {
    var parts = text.split("E", 2);
    var exponent = Integer.parseInt(parts[1]);
    return parts[0].replaceFirst("\\.0$", "") + "e%+03d".formatted(exponent);
  }
}
