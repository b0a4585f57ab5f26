package dev.pitcrew.cli.transport;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Reads answers of the API server as they arrive: of a list only one item is in memory at a time.
final class JsonReading {
  /// The source stays open: who writes it may still have blanks to write after the last brace.
  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build();

  /// Most of the text of Nodes, pods and GPUNodes, and of no use to the commands that explain.
  static final Set<String> OF_NO_USE =
      Set.of(
          "managedFields",
          "images",
          "volumes",
          "volumeMounts",
          "env",
          "annotations",
          "ownerReferences",
          "securityContext",
          "command",
          "args",
          "ports",
          "lifecycle",
          "livenessProbe",
          "readinessProbe",
          "startupProbe",
          "nvlinkPeers",
          "validation",
          "kubectl.kubernetes.io/last-applied-configuration");

  private JsonReading() {}

  static Json document(InputStream answer) throws IOException {
    return document(answer, OF_NO_USE);
  }

  /// With all its fields.
  static Json whole(InputStream answer) throws IOException {
    return document(answer, Set.of());
  }

  private static Json document(InputStream answer, Set<String> skipped) throws IOException {
    try (JsonParser parser = FACTORY.createParser(answer)) {
      begin(parser);
      return new Json(value(parser, skipped));
    }
  }

  /// One page of a list.
  ///
  /// @param next where the next page begins; empty after the last
  /// @param version of the whole list, from which a watch goes on
  record Page(String next, String version) {}

  /// Documents one after the other, each as soon as it is there.
  static void documents(InputStream answer, Consumer<Json> each) throws IOException {
    try (JsonParser parser = FACTORY.createParser(answer)) {
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        each.accept(new Json(value(parser, OF_NO_USE)));
      }
    }
  }

  /// @param skipped names of fields that are left out, at any depth
  static Page items(InputStream answer, Consumer<Json> each, Set<String> skipped)
      throws IOException {
    var page = new Page("", "");
    try (JsonParser parser = FACTORY.createParser(answer)) {
      begin(parser);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken begin = parser.nextToken();
        if (field.equals("items") && begin == JsonToken.START_ARRAY) {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            each.accept(new Json(value(parser, skipped)));
          }
        } else if (field.equals("metadata")) {
          var metadata = new Json(value(parser, skipped));
          page = new Page(metadata.at("continue").text(), metadata.at("resourceVersion").text());
        } else {
          parser.skipChildren();
        }
      }
    }
    return page;
  }

  private static void begin(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new IOException("the answer is no JSON object");
    }
  }

  private static Object value(JsonParser parser, Set<String> skipped) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, skipped);
      case START_ARRAY -> array(parser, skipped);
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> Map.of();
      case VALUE_STRING -> parser.getText();
      default -> throw new IOException("the answer ends in the middle");
    };
  }

  private static Object object(JsonParser parser, Set<String> skipped) throws IOException {
    var fields = new LinkedHashMap<String, Object>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      if (skipped.contains(field)) {
        parser.skipChildren();
      } else {
        fields.put(field, value(parser, skipped));
      }
    }
    return fields;
  }

  private static Object array(JsonParser parser, Set<String> skipped) throws IOException {
    var items = new ArrayList<Object>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      items.add(value(parser, skipped));
    }
    return items;
  }
}
