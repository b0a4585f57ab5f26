package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// `crds/` is a copy, since Helm takes definitions from the chart's folder only;
/// `-Dcrds.update=true` copies again.
class DefinitionsTest {
  private static final Path SOURCE = Path.of("../api/src/main/resources/crds");
  private static final Path COPY = Path.of("pitcrew/crds");

  @Test
  void theChartCarriesTheDefinitionsOfTheApi() throws IOException {
    if (Boolean.getBoolean("crds.update")) {
      copy();
    }

    assertThat(definitions(COPY))
        .as("run the tests with -Dcrds.update=true to copy the definitions of the api module")
        .isNotEmpty()
        .isEqualTo(definitions(SOURCE));
  }

  private static void copy() throws IOException {
    Files.createDirectories(COPY);
    for (var stale : definitions(COPY).keySet()) {
      Files.delete(COPY.resolve(stale));
    }
    for (var definition : definitions(SOURCE).entrySet()) {
      Files.writeString(COPY.resolve(definition.getKey()), definition.getValue());
    }
  }

  /// By file name. The api module keeps beside them what it has derived from them.
  private static Map<String, String> definitions(Path folder) throws IOException {
    var definitions = new TreeMap<String, String>();
    if (Files.isDirectory(folder)) {
      try (var files = Files.newDirectoryStream(folder, "*.yaml")) {
        for (var file : files) {
          definitions.put(file.getFileName().toString(), Files.readString(file));
        }
      }
    }
    return definitions;
  }
}
