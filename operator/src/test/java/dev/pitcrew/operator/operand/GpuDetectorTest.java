package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Toleration;
import org.junit.jupiter.api.Test;

/// The DaemonSet of the GPU detector.
class GpuDetectorTest {
  private static final String NAME = "pitcrew-gpu-detector";
  private static final String IMAGE = "image: {repository: r.io, image: p, version: '1'}";

  @Test
  void detector_runsOnLinuxNodesWithoutAKnownGpu() {
    var pods = detector("");

    assertThat(pods.nodeSelector()).containsExactly(entry("kubernetes.io/os", "linux"));
    assertThat(
            pods.pod()
                .getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms())
        .singleElement()
        .hasToString(
            "NodeSelectorTerm(matchExpressions=[NodeSelectorRequirement(key=nvidia.com/gpu.present, operator=NotIn, values=[true], additionalProperties={})], matchFields=[], additionalProperties={})");
  }

  @Test
  void detector_hasNeitherATokenNorAHostPathNorAPriority() {
    var pods = detector("");

    assertThat(pods.pod().getAutomountServiceAccountToken()).isFalse();
    assertThat(pods.pod().getServiceAccountName()).isEqualTo(NAME);
    assertThat(pods.volumes()).isEmpty();
    assertThat(pods.pod().getHostPID()).isNull();
    assertThat(pods.pod().getHostNetwork()).isNull();
    assertThat(pods.pod().getPriorityClassName()).isEmpty();
    assertThat(pods.main().container().getCommand()).containsExactly("pitcrew", "detect-gpu");
    assertThat(pods.main().container().getEnv()).isEmpty();
  }

  @Test
  void detector_hasTheTolerationsAndTheImageOfTheAgent() {
    var pods = detector("imagePullSecrets: [a], tolerations: [{key: mine, operator: Exists}]");

    assertThat(pods.main().container().getImage()).isEqualTo("r.io/p:1");
    assertThat(pods.pod().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("a");
    assertThat(pods.pod().getTolerations())
        .extracting(Toleration::getKey)
        .contains("nvidia.com/gpu", "pitcrew.dev/gpu-not-ready", "mine");
  }

  @Test
  void openShiftGivesItAUserOfTheNamespace() {
    var section = "{enabled: true, functions: [labels], " + IMAGE + "}";

    assertThat(detector("").main().user()).isPositive();
    assertThat(
            Rendered.withAgent(section, "", Facts.openShift())
                .daemonSet(NAME)
                .main()
                .container()
                .getSecurityContext()
                .getRunAsUser())
        .isNull();
  }

  /// Without the function `labels` of the agent, feature discovery labels the nodes.
  @Test
  void detector_existsOnlyForTheLabelsOfTheAgent() {
    var section = "{enabled: true, functions: [devicePlugin], " + IMAGE + "}";

    assertThat(Rendered.withAgent(section, "", Facts.oneNode()).daemonSets()).doesNotContain(NAME);
  }

  private static RenderedPods detector(String settings) {
    var section =
        "{enabled: true, functions: [labels], "
            + IMAGE
            + (settings.isEmpty() ? "" : ", " + settings)
            + "}";
    return Rendered.withAgent(section, "", Facts.oneNode()).daemonSet(NAME);
  }
}
