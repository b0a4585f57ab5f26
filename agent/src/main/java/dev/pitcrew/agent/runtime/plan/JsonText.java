package dev.pitcrew.agent.runtime.plan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Where the values of a JSON object stand in its text, so that members can be put in without
/// touching another byte.
///
/// @param values offset and end of each value by its path, such as `/features/cdi`; the root's path
///   is empty
record JsonText(String text, Map<String, Span> values) {
  private static final JsonFactory JSON = new JsonFactory();

  record Span(int start, int end) {}

  /// @param message in plain words
  record Broken(String position, String message) {}

  static Optional<Broken> broken(String text) {
    try {
      JsonText read = read(text);
      return Optional.of(new Broken("1:1", "it is no object"))
          .filter(_ -> !text.startsWith("{", read.span("").map(Span::start).orElse(0)));
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      // Without the parser's words, which may quote a password.
      return Optional.of(
          new Broken(
              at.getLineNr() + ":" + at.getColumnNr(), "it cannot be understood from here on"));
    }
  }

  /// A text that is known to be right.
  static JsonText of(String text) {
    try {
      return read(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("a text that is no JSON", e);
    }
  }

  Optional<Span> span(String path) {
    return Optional.ofNullable(values.get(path));
  }

  Optional<String> value(String path) {
    return span(path).map(span -> text.substring(span.start(), span.end()));
  }

  /// The text with a member as the first one of an object, written as its neighbours are.
  String with(String path, String member) {
    int start = span(path).orElseThrow().start() + 1;
    int first = start;
    while (Character.isWhitespace(text.charAt(first))) {
      first++;
    }
    String space = text.substring(start, first);
    boolean isEmpty = text.charAt(first) == '}';
    return text.substring(0, start)
        + (isEmpty ? "\n    " + member + "\n" : space + member + ",")
        + text.substring(isEmpty ? first : start);
  }

  String replaced(String path, String value) {
    Span span = span(path).orElseThrow();
    return text.substring(0, span.start()) + value + text.substring(span.end());
  }

  private static JsonText read(String text) throws JsonProcessingException {
    var values = new HashMap<String, Span>();
    try (JsonParser parser = JSON.createParser(text)) {
      parser.nextToken();
      value(parser, "", values);
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "text behind the object");
      }
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException("read a text", e);
    }
    return new JsonText(text, Map.copyOf(values));
  }

  private static void value(JsonParser parser, String path, Map<String, Span> values)
      throws IOException {
    int start = (int) parser.currentTokenLocation().getCharOffset();
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        value(parser, path + "/" + name, values);
      }
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      parser.skipChildren();
    } else {
      parser.getText();
    }
    values.put(path, new Span(start, (int) parser.currentLocation().getCharOffset()));
  }
}
