package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.core.text.YamlText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.YAMLException;

/// Values of the chart: those of a user's file, and what the chart of this build knows.
final class ChartValues {
  /// No file of values is as large.
  private static final long MOST = 4L << 20;

  private ChartValues() {}

  /// The values in a file.
  ///
  /// @throws dev.pitcrew.cli.transport.RefusedException where it cannot be read, or has none
  static Map<?, ?> of(String file) {
    return fields(file, text(file));
  }

  private static String text(String file) {
    try {
      Path path = Path.of(file);
      if (Files.isDirectory(path) || Files.size(path) > MOST) {
        throw Names.wrong(file + " is no file of values");
      }
      return Files.readString(path);
    } catch (NoSuchFileException _) {
      throw Names.wrong("there is no file " + file);
    } catch (IOException | InvalidPathException broken) {
      throw Names.wrong("%s cannot be read: %s".formatted(file, broken.getMessage()));
    }
  }

  private static Map<?, ?> fields(String file, String text) {
    @Nullable Object document = document(file, text);
    if (document == null) {
      return Map.of();
    }
    if (document instanceof Map<?, ?> values) {
      return values;
    }
    throw Names.wrong("%s has no values: it is YAML, but no map of keys".formatted(file));
  }

  private static @Nullable Object document(String file, String text) {
    try {
      return YamlText.parse(text);
    } catch (YAMLException broken) {
      throw Names.wrong(
          "%s is no YAML: %s"
              .formatted(file, String.valueOf(broken.getMessage()).replaceAll("\\s+", " ")));
    }
  }

  /// Keys that values may have.
  static Map<?, ?> known() {
    return fields("known-values.yaml", resource("known-values.yaml"));
  }

  /// Fields that a ClusterPolicy of Pitcrew may have, such as `spec.driver.env[].name`.
  static Set<String> policyFields() {
    return resource("nvidia.com_clusterpolicies.fields").lines().collect(Collectors.toSet());
  }

  private static String resource(String name) {
    try (InputStream stream = ChartValues.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException("read " + name, broken);
    }
  }
}
