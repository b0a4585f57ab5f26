package dev.pitcrew.testbed.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@WithControlPlane
class ChartTest {
  private final Chart chart = new Chart(Path.of("src/test/resources/chart"));

  @Test
  void aTemplateCarriesReleaseAndValues() {
    var manifests = chart.template(new ReleaseName("place", "name"), Map.of("greeting", "hello"));

    assertThat(manifests).contains("name: name-greeting", "namespace: place", "greeting: hello");
  }

  @Test
  void aLintFindsNothingInASoundChart() {
    assertThat(chart.lint().isClean()).as(chart.lint().toString()).isTrue();
  }

  @Test
  void aMissingChartIsRefusedInHelmsWords() {
    var missing = new Chart(Path.of("no/such/chart"));
    var release = new ReleaseName("place", "name");

    assertThatThrownBy(() -> missing.template(release, Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no/such/chart");
  }

  @Test
  void anInstallThatFailsDoesSoInHelmsWords(ControlPlane controlPlane) {
    var missing = new Chart(Path.of("no/such/chart"));
    var release = new ReleaseName("place", "name");

    assertThatThrownBy(() -> missing.install(controlPlane.kubeconfigFile(), release, Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no/such/chart");
  }

  @Test
  void aReleaseIsInstalledUpgradedAndRemoved(ControlPlane controlPlane, TestNamespace namespace) {
    var kubeconfig = controlPlane.kubeconfigFile();
    var release = new ReleaseName(namespace.name(), "demo");

    chart.install(kubeconfig, release, Map.of("greeting", "hello"));
    assertThat(greeting(controlPlane, namespace)).isEqualTo("hello");

    chart.upgrade(kubeconfig, release, Map.of());
    assertThat(greeting(controlPlane, namespace)).isEqualTo("default");

    Chart.uninstall(kubeconfig, release);
    assertThat(
            controlPlane
                .client()
                .configMaps()
                .inNamespace(namespace.name())
                .withName("demo-greeting")
                .get())
        .isNull();
  }

  private static @Nullable String greeting(ControlPlane controlPlane, TestNamespace namespace) {
    return controlPlane
        .client()
        .configMaps()
        .inNamespace(namespace.name())
        .withName("demo-greeting")
        .require()
        .getData()
        .get("greeting");
  }
}
