package dev.pitcrew.charts;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/// A chart, rendered by Helm as release `gpu-operator` in namespace `gpu-operator`.
record Chart(Path directory) {
  private static final String RELEASE = "gpu-operator";
  private static final String KUBERNETES = "1.36.0";
  private static final String HOOK = " helm.sh/hook:";
  // The library's `template` leaves hooks out, so they are rendered as plain objects under this
  // name.
  private static final String SHOWN_HOOK = " shown.helm.sh/hook:";
  private static final Path SOURCE = Path.of("pitcrew");

  private static final class Shared {
    static final Chart PITCREW = new Chart(SOURCE).copy(freshFolder(), HOOK, SHOWN_HOOK);
  }

  /// The chart of this module, hooks included.
  static Chart pitcrew() {
    return Shared.PITCREW;
  }

  /// What Helm tells the user after an installation.
  String notes(String values) {
    return withValuesFile(values, this::notes);
  }

  static LintResult lint() {
    return new Helm(SOURCE).lint().strict().call();
  }

  Rendered render(String values) {
    return Rendered.parse(manifests(values));
  }

  Rendered render(Path valuesFile) {
    return Rendered.parse(manifests(valuesFile));
  }

  /// The rendered manifests as Helm prints them.
  ///
  /// @throws IllegalStateException if the chart refuses the values; the message says why
  String manifests(String values) {
    return withValuesFile(values, this::manifests);
  }

  /// A copy of this chart in which one text stands for another.
  Chart copy(Path target, String from, String to) {
    try (var files = Files.walk(directory)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var copied = target.resolve(directory.relativize(file));
        Files.createDirectories(copied.resolveSibling("."));
        Files.writeString(copied, Files.readString(file).replace(from, to));
      }
      return new Chart(target);
    } catch (IOException e) {
      throw new UncheckedIOException("Copying the chart to " + target, e);
    }
  }

  private static Path freshFolder() {
    try {
      return Files.createTempDirectory(Path.of("target"), "chart");
    } catch (IOException e) {
      throw new UncheckedIOException("Creating a folder for the chart below target", e);
    }
  }

  private String manifests(Path valuesFile) {
    return new Helm(directory)
        .template()
        .withName(RELEASE)
        .withNamespace(RELEASE)
        .withKubeVersion(KUBERNETES)
        .withValuesFile(valuesFile)
        .call()
        .replace(SHOWN_HOOK, HOOK);
  }

  private String notes(Path valuesFile) {
    var output =
        new Helm(directory)
            .install()
            .withName(RELEASE)
            .withNamespace(RELEASE)
            .withKubeVersion(KUBERNETES)
            .withValuesFile(valuesFile)
            .withDryRunOption(DryRun.CLIENT)
            .clientOnly()
            .call()
            .getOutput();
    return output.substring(output.indexOf("NOTES:"));
  }

  private static String withValuesFile(String values, Function<Path, String> call) {
    try {
      var file = Files.createTempFile("values", ".yaml");
      try {
        Files.writeString(file, values);
        return call.apply(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Writing a values file for the chart", e);
    }
  }
}
