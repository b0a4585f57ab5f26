package dev.pitcrew.testbed.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class ChartTest {
  private static final Values HELLO = Values.of(Map.of("greeting", "hello"));

  private final Chart chart = new Chart(Path.of("src/test/resources/chart"));

  @Test
  void aTemplateCarriesReleaseAndValues() {
    var manifests = chart.template(new ReleaseName("place", "name"), HELLO);

    assertThat(manifests).contains("name: name-greeting", "namespace: place", "greeting: hello");
  }

  @Test
  void valuesOfAFileAreThose(@TempDir Path folder) throws IOException {
    var file = Files.writeString(folder.resolve("values.yaml"), "greeting: \"off\"\n");
    var manifests = chart.template(new ReleaseName("place", "name"), Values.read(file));

    assertThat(manifests).contains("greeting: off");
  }

  @Test
  void notesAreThoseOfTheChart() {
    assertThat(chart.notes(new ReleaseName("place", "name"), HELLO))
        .contains("name in place says hello");
  }

  @Test
  void aCopyDiffersInOneText(@TempDir Path folder) {
    var copy = chart.copy(folder, "-greeting", "-farewell");

    assertThat(copy.template(new ReleaseName("place", "name"), HELLO))
        .contains("name: name-farewell", "greeting: hello");
  }

  @Test
  void aLintFindsNothingInASoundChart() {
    assertThat(chart.lint().isClean()).as(chart.lint().toString()).isTrue();
  }

  @Test
  void aMissingChartIsRefusedInHelmsWords() {
    var missing = new Chart(Path.of("no/such/chart"));
    var release = new ReleaseName("place", "name");

    assertThatThrownBy(() -> missing.template(release, Values.DEFAULTS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no/such/chart");
  }

  @Test
  void anInstallThatFailsDoesSoInHelmsWords(ControlPlane controlPlane) {
    var missing = new Chart(Path.of("no/such/chart"));
    var release = new ReleaseName("place", "name");

    assertThatThrownBy(
            () -> missing.install(controlPlane.kubeconfigFile(), release, Values.DEFAULTS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no/such/chart");
  }

  @Test
  void aReleaseIsInstalledUpgradedAndRemoved(ControlPlane controlPlane, TestNamespace namespace) {
    var kubeconfig = controlPlane.kubeconfigFile();
    var release = new ReleaseName(namespace.name(), "demo");

    chart.install(kubeconfig, release, HELLO);
    assertThat(greeting(controlPlane, namespace)).isEqualTo("hello");

    chart.upgrade(kubeconfig, release, Values.DEFAULTS);
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
