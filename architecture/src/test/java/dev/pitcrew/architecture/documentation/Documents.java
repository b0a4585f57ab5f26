package dev.pitcrew.architecture.documentation;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;

/// YAML files of the repository.
final class Documents {
  private Documents() {}

  /// The documents of a file, with its aliases resolved, which Jackson does not do.
  static List<JsonNode> read(String file) {
    try {
      String text = Files.readString(MarkdownPage.REPOSITORY.resolve(file));
      return Arrays.stream(text.split("(?m)^---$"))
          .map(document -> Serialization.unmarshal(document, JsonNode.class))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file, e);
    }
  }
}
