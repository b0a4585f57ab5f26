package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RenderFailuresTest {
  private static final PitcrewChart CHART = PitcrewChart.shared();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{gpuCluster: {deployCR: true}} | set clusterPolicy.deployCR=false",
        "{gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}} | needs driver.nvidiaDriverCRD.enabled=true",
        "{cdi: {enabled: false, nriPluginEnabled: true}}            | needs cdi.enabled=true",
        "{cdi: {nriPluginEnabled: true}, toolkit: {enabled: false}} | needs toolkit.enabled=true",
        "{devicePlugin: {config: {create: true, name: shared}}}     | devicePlugin.config.data is empty",
        "{admissionPolicy: {evictions: all}}                        | admissionPolicy.evictions is \"all\": use \"refused\", \"ownNode\"",
        "{devicePlugin: {config: {create: true, data: {a: b}}}}     | devicePlugin.config.name is empty",
      })
  void valuesThatCannotWorkAreRefusedWithTheRemedy(String values, String message) {
    assertThatThrownBy(() -> CHART.manifests(values)).hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{operator: {repository: mirror.example/nvidia, image: gpu-operator, version: v26.7.0}}",
        "{pitcrew: {image: {repository: null}}}",
        "{pitcrew: {image: {version: 'sha256:abc'}}}",
      })
  void imageWithoutARegistryIsRefused(String values) {
    assertThatThrownBy(() -> CHART.withoutImage().manifests(values))
        .hasMessageContaining("pitcrew.image.repository is empty")
        .hasMessageContaining("--set pitcrew.image.repository=REGISTRY/PATH");
  }

  @ParameterizedTest
  @CsvSource({
    "'{pitcrew: {image: {repository: r.example:5000/gpu}}}', r.example:5000/gpu/pitcrew:0.1.0",
    "'{pitcrew: {image: {image: r.example/gpu/ours, version: v7}}}', r.example/gpu/ours:v7",
  })
  void imageWithARegistryIsTaken(String values, String image) {
    assertThat(CHART.withoutImage().manifests(values)).contains("image: " + image + "\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{extraObjects: [{apiVersion: nvidia.com/v1alpha1, kind: GPUCluster, metadata: {name: gpu-cluster}}], clusterPolicy: {deployCR: false}}",
        "{cdi: {enabled: false}, toolkit: {enabled: false}}",
        "{cdi: {nriPluginEnabled: true}}",
        "{devicePlugin: {config: {name: made-elsewhere}}}",
        "{migManager: {config: {create: true}}}",
      })
  void theirNeighboursAreAccepted(String values) {
    assertThatCode(() -> CHART.manifests(values)).doesNotThrowAnyException();
  }

  /// `helm template` believes in all built-in groups, so a copy of the chart asks for one that no
  /// pod serves.
  @Test
  void aGpuClusterNeedsDeviceClasses(@TempDir Path folder) {
    var absent = CHART.copy(folder.resolve("absent"), "resource.k8s.io/%s", "absent.example/%s");
    var values =
        "{gpuCluster: {deployCR: true}, clusterPolicy: {deployCR: false}, driver: {enabled: false}}";

    assertThatThrownBy(() -> absent.manifests(values))
        .hasMessageContaining("does not serve DeviceClass of resource.k8s.io");
    assertThatCode(() -> absent.manifests("{}")).doesNotThrowAnyException();
    assertThatCode(() -> CHART.manifests(values)).doesNotThrowAnyException();
  }
}
