package dev.pitcrew.charts;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The chart of this module, rendered by Helm as release `gpu-operator` in namespace
/// `gpu-operator`.
record Chart(Path directory) {
  private static final String RELEASE = "gpu-operator";
  private static final String KUBERNETES = "1.36.0";

  static Chart pitcrew() {
    return new Chart(Path.of("pitcrew"));
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
    try {
      var file = Files.createTempFile("values", ".yaml");
      try {
        Files.writeString(file, values);
        return manifests(file);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Writing a values file for the chart", e);
    }
  }

  LintResult lint() {
    return new Helm(directory).lint().strict().call();
  }

  private String manifests(Path valuesFile) {
    return new Helm(directory)
        .template()
        .withName(RELEASE)
        .withNamespace(RELEASE)
        .withKubeVersion(KUBERNETES)
        .withValuesFile(valuesFile)
        .call();
  }
}
