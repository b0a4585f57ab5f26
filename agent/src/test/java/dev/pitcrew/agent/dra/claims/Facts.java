package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// What NVIDIA's DRA driver answered and wrote.
public final class Facts {
  static final ObjectMapper MAPPER = new ObjectMapper();

  private Facts() {}

  public static JsonNode read(String name) {
    String path = "/dra/" + name + ".json";
    try (InputStream in = Objects.requireNonNull(Facts.class.getResourceAsStream(path), path)) {
      return MAPPER.readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  static int leaves(JsonNode tree) {
    return tree.isValueNode() || tree.isEmpty() ? 1 : elements(tree).mapToInt(Facts::leaves).sum();
  }

  static List<String> texts(JsonNode array) {
    return elements(array).map(JsonNode::asText).toList();
  }
}
