package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// `crds/` is a copy, since Helm takes definitions from the chart's folder only;
/// `-Dcrds.update=true` copies anew.
class DefinitionsTest {
  private static final Path SOURCE = Path.of("../api/src/main/resources/crds");
  private static final Path COPY = Path.of("pitcrew/crds");

  @Test
  void theChartCarriesTheDefinitionsOfTheApi() throws IOException {
    if (Boolean.getBoolean("crds.update")) {
      copy();
    }

    assertThat(contents(COPY))
        .as("run the tests with -Dcrds.update=true to copy the definitions of the api module")
        .isNotEmpty()
        .isEqualTo(contents(SOURCE));
  }

  private static void copy() throws IOException {
    Files.createDirectories(COPY);
    for (var stale : contents(COPY).keySet()) {
      Files.delete(COPY.resolve(stale));
    }
    for (var definition : contents(SOURCE).entrySet()) {
      Files.writeString(COPY.resolve(definition.getKey()), definition.getValue());
    }
  }

  private static Map<String, String> contents(Path folder) throws IOException {
    var contents = new TreeMap<String, String>();
    if (Files.isDirectory(folder)) {
      try (var files = Files.list(folder)) {
        for (var file : files.toList()) {
          contents.put(file.getFileName().toString(), Files.readString(file));
        }
      }
    }
    return contents;
  }
}
