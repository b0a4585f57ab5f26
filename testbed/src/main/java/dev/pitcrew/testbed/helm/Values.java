package dev.pitcrew.testbed.helm;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/// What a chart is rendered with, as the text of a values file, so that Helm reads what a user
/// wrote.
public record Values(String yaml) {
  /// The chart's defaults.
  public static final Values DEFAULTS = new Values("{}");

  /// Values that are nested maps, lists and scalars.
  public static Values of(Map<String, ?> values) {
    return new Values(Serialization.asYaml(values));
  }

  /// The values of a file.
  public static Values read(Path file) {
    try {
      return new Values(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("read the Helm values " + file, e);
    }
  }

  /// Does something that needs them in a file.
  <T> T inFile(Function<Path, T> action) {
    try {
      var file = Files.createTempFile("pitcrew-values-", ".yaml");
      try {
        Files.writeString(file, yaml);
        return action.apply(file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("write Helm values to a temporary file", e);
    }
  }
}
