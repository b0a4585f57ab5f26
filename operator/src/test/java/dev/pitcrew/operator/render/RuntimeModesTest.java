package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How pods get at GPUs: by runtime class, CDI or NRI.
class RuntimeModesTest {
  private static final Map<String, String> SEES_GPUS =
      Map.of(
          "gpu-feature-discovery", "gpu-feature-discovery",
          "nvidia-device-plugin-daemonset", "nvidia-device-plugin",
          "nvidia-device-plugin-mps-control-daemon", "mps-control-daemon-ctr",
          "nvidia-dcgm", "nvidia-dcgm-ctr",
          "nvidia-dcgm-exporter", "nvidia-dcgm-exporter",
          "nvidia-mig-manager", "nvidia-mig-manager",
          "nvidia-operator-validator", "toolkit-validation");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                                | CONTAINERD | nvidia",
        "{operator: {runtimeClass: gold}}                                  | CONTAINERD | gold",
        "{operator: {runtimeClass: ''}}                                    | CONTAINERD | nvidia",
        "{cdi: {enabled: false}}                                           | CONTAINERD | nvidia",
        "{cdi: {enabled: true}}                                            | CRIO       | nvidia",
        "{cdi: {enabled: false}}                                           | CRIO       | (none)",
        "{cdi: {enabled: true, nriPluginEnabled: true}}                    | CONTAINERD | (none)",
      })
  void podsThatSeeGpusRunInTheRuntimeClassWhereItIsWhatInjectsThem(
      String policy, ContainerRuntime runtime, String runtimeClass) {
    var rendered = Rendered.of(withAll(policy), Facts.oneNode().runtime(runtime));

    assertThat(SEES_GPUS.keySet())
        .allSatisfy(name -> {
          String actual = rendered.daemonSet(name).pod().getRuntimeClassName();
          assertThat(actual == null ? "(none)" : actual).as(name).isEqualTo(runtimeClass);
        });
  }

  @Test
  void podsThatSeeNoGpuHaveNoRuntimeClass() {
    var rendered = Rendered.of(withAll("{}"), Facts.oneNode());

    assertThat(rendered.daemonSets())
        .filteredOn(name -> !SEES_GPUS.containsKey(name))
        .isNotEmpty()
        .allMatch(name -> rendered.daemonSet(name).pod().getRuntimeClassName() == null);
  }

  @Test
  void annotation_namesTheContainerThatSeesAllGpus_forTheNriPlugin() {
    var rendered =
        Rendered.of(withAll("{cdi: {enabled: true, nriPluginEnabled: true}}"), Facts.oneNode());

    SEES_GPUS.forEach((name, container) ->
        assertThat(rendered.daemonSet(name).podAnnotations())
            .containsEntry(
                "nvidia.cdi.k8s.io/container." + container, "management.nvidia.com/gpu=all"));
  }

  @Test
  void withoutTheNriPluginNoPodIsAnnotated() {
    var rendered = Rendered.of(withAll("{cdi: {enabled: true}}"), Facts.oneNode());

    assertThat(rendered.daemonSets())
        .allSatisfy(name ->
            assertThat(rendered.daemonSet(name).podAnnotations().keySet())
                .noneMatch(key -> key.startsWith("nvidia.cdi")));
  }

  private static String withAll(String policy) {
    String more = "migManager: {enabled: true}, nodeStatusExporter: {enabled: true}";
    return policy.equals("{}") ? "{" + more + "}" : policy.replaceFirst("\\{", "{" + more + ", ");
  }
}
