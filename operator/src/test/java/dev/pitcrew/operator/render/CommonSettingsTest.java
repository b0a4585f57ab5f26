package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Each setting of `spec.daemonsets` and `spec.hostPaths` alone.
class CommonSettingsTest {
  @Test
  void podsTolerateTheGpuTaintAndAreCriticalToTheirNode() {
    var pod = dcgm("").pod();

    assertThat(pod.getPriorityClassName()).isEqualTo("system-node-critical");
    assertThat(pod.getTolerations())
        .singleElement()
        .satisfies(toleration -> assertThat(toleration.getKey()).isEqualTo("nvidia.com/gpu"));
  }

  /// The driver's pods too: a node with the start-up taint waits for them.
  @Test
  void whereAgentsTaintNodesAllPodsTolerateThat() {
    var rendered = Rendered.of("", Facts.oneNode().tainting());

    assertThat(rendered.daemonSets())
        .hasSizeGreaterThan(5)
        .allSatisfy(name ->
            assertThat(rendered.daemonSet(name).pod().getTolerations())
                .extracting(Toleration::getKey, Toleration::getOperator, Toleration::getEffect)
                .contains(
                    tuple("pitcrew.dev/gpu-not-ready", "Exists", null),
                    tuple("pitcrew.dev/gpu-unhealthy", "Exists", null)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                                         | ''",
        "{updateStrategy: RollingUpdate}                                            | ''",
        "{updateStrategy: RollingUpdate, rollingUpdate: {maxUnavailable: '2'}}      | RollingUpdate 2",
        "{updateStrategy: RollingUpdate, rollingUpdate: {maxUnavailable: '10%'}}    | RollingUpdate 10%",
        "{rollingUpdate: {maxUnavailable: '100%'}}                                  | RollingUpdate 100%",
        "{updateStrategy: OnDelete, rollingUpdate: {maxUnavailable: '2'}}           | OnDelete",
      })
  void podsAreReplacedAsThePolicySays(String daemonsets, String updates) {
    assertThat(dcgm("daemonsets: " + daemonsets).updates()).isEqualTo(updates);
  }

  @Test
  void driversAreNeverReplacedByARollingUpdate() {
    var policy =
        "daemonsets: {updateStrategy: RollingUpdate, rollingUpdate: {maxUnavailable: '1'}}";

    assertThat(render(policy, "nvidia-driver-daemonset").updates()).isEqualTo("OnDelete");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0%", "101%", "one", "-1", "1.5", "50 %"})
  void aLimitThatNoRollOutCanKeepIsRefused(String limit) {
    var rendered =
        Rendered.of(
            "daemonsets: {rollingUpdate: {maxUnavailable: '" + limit + "'}}", Facts.oneNode());

    assertThat(rendered.problems())
        .containsExactly(
            "spec.daemonsets.rollingUpdate.maxUnavailable is \"%s\": give a number of nodes such as 1, or a percentage such as 10%%"
                .formatted(limit));
    assertThat(rendered.daemonSets())
        .as("whose pods are not replaced by it")
        .containsExactly("nvidia-driver-daemonset");
  }

  @Test
  void limitThatIsNotRead_isNotRefused() {
    var policy = "daemonsets: {updateStrategy: OnDelete, rollingUpdate: {maxUnavailable: none}}";

    assertThat(Rendered.of(policy, Facts.oneNode()).problems()).isEmpty();
  }

  @Test
  void priorityTolerationsAndPodSecurityReplaceOurs() {
    var pod =
        dcgm("""
        daemonsets:
          priorityClassName: gold
          tolerations: [{key: mine, operator: Exists}, {operator: Exists, effect: NoExecute}]
          podSecurityContext: {runAsNonRoot: false, fsGroup: 7}
        """)
            .pod();

    assertThat(pod.getPriorityClassName()).isEqualTo("gold");
    assertThat(pod.getTolerations()).extracting(Toleration::getKey).containsExactly("mine", null);
    assertThat(pod.getSecurityContext().getFsGroup()).isEqualTo(7);
  }

  @Test
  void labelsAndAnnotationsGoOnDaemonSetsAndPods() {
    var pods = dcgm("daemonsets: {labels: {team: gpu}, annotations: {note: x}}");

    assertThat(pods.labels()).containsEntry("team", "gpu");
    assertThat(pods.podLabels()).containsEntry("team", "gpu");
    assertThat(pods.annotations()).containsEntry("note", "x");
    assertThat(pods.podAnnotations()).containsEntry("note", "x");
  }

  @Test
  void theLabelsOfOursOnPodsAreNotTheUsersToChange() {
    var pods = dcgm("daemonsets: {labels: {app: x, app.kubernetes.io/part-of: y}}");

    assertThat(pods.podLabels()).isEqualTo(Map.of("app", "nvidia-dcgm"));
    assertThat(pods.labels()).contains(entry("app", "x"), entry("app.kubernetes.io/part-of", "y"));
  }

  // defect 41 of the reference is the same mistake in another operand.
  @Test
  void aLabelThatPodsAreSelectedByIsNotTheUsersToChange() {
    var vfio =
        render(
            "{sandboxWorkloads: {enabled: true}, vfioManager: {enabled: true}, daemonsets: {labels: {name: x}}}",
            "nvidia-vfio-manager");

    assertThat(vfio.podLabels()).containsAllEntriesOf(vfio.selector());
  }

  @Test
  void anotherRootOfTheHost_movesVolumes_andIsPassedToContainers() {
    var toolkit = render("hostPaths: {rootFS: /host-root}", "nvidia-container-toolkit-daemonset");

    assertThat(toolkit.volumes())
        .contains(entry("host-root", "/host-root"), entry("host-dev-char", "/host-root/dev/char"));
    assertThat(toolkit.all()).allMatch(c -> c.env("HOST_ROOT").equals("/host-root"));
  }

  @Test
  void podsThatDoNotMountTheRoot_doNotGetItsPath() {
    assertThat(dcgm("hostPaths: {rootFS: /host-root}").all())
        .noneMatch(container -> container.env().containsKey("HOST_ROOT"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"''", "/"})
  void theRootItselfChangesNothing(String root) {
    assertThat(render("hostPaths: {rootFS: " + root + "}", "nvidia-operator-validator").daemonSet())
        .isEqualTo(render("", "nvidia-operator-validator").daemonSet());
  }

  // defect 27
  @Test
  void theVfioManagerKeepsItsOwnMountOfTheHostRoot() {
    var vfio =
        render(
            "{sandboxWorkloads: {enabled: true}, vfioManager: {enabled: true}, hostPaths: {rootFS: /host-root}}",
            "nvidia-vfio-manager");

    assertThat(vfio.main().env("HOST_ROOT")).isEqualTo("/host");
    assertThat(vfio.container("k8s-driver-manager").env("HOST_ROOT")).isEqualTo("/host-root");
  }

  @Test
  void anotherDriverDirectoryIsMountedAndValidatedThere() {
    var toolkit =
        render("hostPaths: {driverInstallDir: /opt/nv}", "nvidia-container-toolkit-daemonset");
    var validation = toolkit.container("driver-validation");

    assertThat(toolkit.volumes()).containsEntry("driver-install-dir", "/opt/nv");
    assertThat(validation.env("DRIVER_INSTALL_DIR")).isEqualTo("/opt/nv");
    assertThat(validation.env("DRIVER_INSTALL_DIR_CTR_PATH")).isEqualTo("/opt/nv");
    assertThat(validation.mounts())
        .containsEntry("/opt/nv", "driver-install-dir")
        .doesNotContainKey("/run/nvidia/driver");
    assertThat(toolkit.main().mounts()).containsEntry("/driver-root", "driver-install-dir");
  }

  /// The kubelet has its folder of device plugins below /var/lib/kubelet wherever its root is
  /// (DevicePluginPath of k8s.io/kubelet), and the socket of pod resources below its root.
  @ParameterizedTest
  @CsvSource({
    "nvidia-device-plugin-daemonset, device-plugin, /var/lib/kubelet/device-plugins",
    "nvidia-sandbox-device-plugin-daemonset, device-plugin, /var/lib/kubelet/device-plugins",
    "nvidia-dcgm-exporter, pod-gpu-resources, /k/pod-resources",
  })
  void ofAnotherKubeletDirectory_onlyWhatTheKubeletMovesIsTaken(
      String daemonSet, String volume, String path) {
    var policy =
        "{hostPaths: {kubeletRootDir: /k}, sandboxWorkloads: {enabled: true}, sandboxDevicePlugin: {enabled: true}}";

    assertThat(render(policy, daemonSet).volumes()).containsEntry(volume, path);
    assertThat(render(policy.replace("/k", "/k/"), daemonSet).volumes())
        .as("with a slash at its end")
        .containsEntry(volume, path);
  }

  @Test
  void slashAtTheEndOfTheHostRoot_makesNoDoubleOne() {
    assertThat(render("hostPaths: {rootFS: /r/}", "nvidia-container-toolkit-daemonset").volumes())
        .containsEntry("host-dev-char", "/r/dev/char");
  }

  @Test
  void theHashChangesWithTheDaemonSetOnly() {
    String hash = "nvidia.com/last-applied-hash";

    assertThat(dcgm("").annotations().get(hash))
        .matches("\\d+")
        .isEqualTo(dcgm("toolkit: {enabled: false}").annotations().get(hash))
        .isNotEqualTo(dcgm("dcgm: {args: [-x]}").annotations().get(hash));
  }

  private static RenderedPods dcgm(String policy) {
    return render(policy, "nvidia-dcgm");
  }

  private static RenderedPods render(String policy, String daemonSet) {
    return Rendered.of(policy, Facts.oneNode()).daemonSet(daemonSet);
  }
}
