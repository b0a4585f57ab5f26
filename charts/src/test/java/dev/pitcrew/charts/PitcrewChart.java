package dev.pitcrew.charts;

import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Our chart as release `gpu-operator` in namespace `gpu-operator`, hooks included. Values are the
/// text of a values file.
record PitcrewChart(Chart chart) {
  /// As it lies in this module.
  static final Chart SOURCE = Chart.withBuiltImage(Path.of("pitcrew"));

  private static final ReleaseName RELEASE = new ReleaseName("gpu-operator", "gpu-operator");
  private static final String HOOK = " helm.sh/hook:";

  /// Helm's library leaves hooks out of what it renders, so they are plain objects of this name.
  private static final String SHOWN_HOOK = " shown.helm.sh/hook:";

  private static final class Shared {
    static final PitcrewChart CHART =
        new PitcrewChart(SOURCE.copy(freshFolder(), HOOK, SHOWN_HOOK));
  }

  static PitcrewChart shared() {
    return Shared.CHART;
  }

  /// As a user has it who sets nothing.
  PitcrewChart withoutImage() {
    return new PitcrewChart(new Chart(chart.folder()));
  }

  /// What Helm prints for the user after an installation.
  String notes(String values) {
    return chart.notes(RELEASE, new Values(values));
  }

  Rendered render(String values) {
    return Rendered.parse(manifests(values));
  }

  Rendered render(Path valuesFile) {
    return render(Values.read(valuesFile).yaml());
  }

  /// The rendered manifests as Helm prints them.
  ///
  /// @throws IllegalStateException if the chart refuses the values; the message says why
  String manifests(String values) {
    return chart.template(RELEASE, new Values(values)).replace(SHOWN_HOOK, HOOK);
  }

  /// The same for a version of Kubernetes, such as `v1.31.0`.
  String manifestsFor(String kubernetes) {
    return chart.template(RELEASE, new Values("{}"), kubernetes);
  }

  /// A copy in which one text stands for another.
  PitcrewChart copy(Path target, String from, String to) {
    return new PitcrewChart(chart.copy(target, from, to));
  }

  private static Path freshFolder() {
    try {
      return Files.createTempDirectory(Path.of("target"), "chart");
    } catch (IOException e) {
      throw new UncheckedIOException("create a folder for the chart below target", e);
    }
  }
}
