package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Drivers on OpenShift, whose modules its driver toolkit builds.
class DriverToolkitTest {
  private static final String RELEASE = "416.94.1";
  private static final String NAME = "nvidia-driver-daemonset-" + RELEASE;
  private static final String TOOLKIT = "openshift-driver-toolkit-ctr";

  @Test
  void everyCoreOsReleaseHasItsOwnDaemonSet() {
    var rendered = Rendered.of("", cluster().coreOs("416.94.2"));

    assertThat(rendered.daemonSets())
        .contains(NAME, "nvidia-driver-daemonset-416.94.2")
        .doesNotContain("nvidia-driver-daemonset");
  }

  @Test
  void namesLabelsAndNodesFollowTheRelease() {
    var driver = Rendered.of("", cluster()).daemonSet(NAME);

    assertThat(driver.labels())
        .contains(
            entry("app", NAME),
            entry("openshift.driver-toolkit", "true"),
            entry("openshift.driver-toolkit.rhcos", RELEASE))
        .doesNotContainKey("openshift.driver-toolkit.rhcos-image-missing");
    assertThat(driver.podLabels())
        .contains(entry("app", NAME), entry("openshift.driver-toolkit", "true"));
    assertThat(driver.selector()).isEqualTo(Map.of("app", NAME));
    assertThat(driver.nodeSelector())
        .containsEntry("feature.node.kubernetes.io/system-os_release.OSTREE_VERSION", RELEASE);
  }

  @Test
  void theDriverHandsItsBuildToTheToolkit() {
    var driver = Rendered.of("driver: {args: [mine]}", cluster()).daemonSet(NAME);

    assertThat(driver.container(TOOLKIT).image()).isEqualTo("dtk:1");
    assertThat(driver.container(TOOLKIT).env("RHCOS_VERSION")).isEqualTo(RELEASE);
    assertThat(driver.main().command()).containsExactly("ocp_dtk_entrypoint");
    assertThat(driver.main().args()).containsExactly("nv-ctr-run-with-dtk");
    assertThat(driver.main().mounts())
        .containsEntry("/mnt/shared-nvidia-driver-toolkit", "shared-nvidia-driver-toolkit");
    assertThat(driver.volumes()).containsEntry("shared-nvidia-driver-toolkit", "emptyDir");
    assertThat(driver.main().env()).doesNotContainKey("RHCOS_IMAGE_MISSING");
  }

  @Test
  void sideContainersHandTheirsOverAsWell() {
    var driver =
        Rendered.of(
                "{gds: {enabled: true}, gdrcopy: {enabled: true}, driver: {resources: {requests: {cpu: 3}}}}",
                cluster())
            .daemonSet(NAME);

    assertThat(driver.container("nvidia-fs-ctr").args()).containsExactly("nv-fs-ctr-run-with-dtk");
    assertThat(driver.container("nvidia-gdrcopy-ctr").args())
        .containsExactly("gdrcopy-ctr-run-with-dtk");
    assertThat(driver.container(TOOLKIT).env())
        .contains(entry("GDS_ENABLED", "true"), entry("GDRCOPY_ENABLED", "true"));
    assertThat(driver.container(TOOLKIT).requests()).containsEntry("cpu", "3");
  }

  // defect 35: a release without an image shows, instead of getting lost among other errors.
  @Test
  void aReleaseWithoutToolkitImageBuildsWithTheDriversOwn() {
    var driver = Rendered.of("", cluster().driverToolkit(Map.of("other", "dtk:0"))).daemonSet(NAME);

    assertThat(driver.labels())
        .containsEntry("openshift.driver-toolkit.rhcos-image-missing", "true");
    assertThat(driver.podLabels())
        .containsEntry("openshift.driver-toolkit.rhcos-image-missing", "true");
    assertThat(driver.container(TOOLKIT).image()).isEqualTo(driver.main().image());
    assertThat(driver.container(TOOLKIT).env("RHCOS_IMAGE_MISSING")).isEqualTo("true");
    assertThat(driver.main().env())
        .contains(entry("RHCOS_IMAGE_MISSING", "true"), entry("RHCOS_VERSION", RELEASE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "operator: {use_ocp_driver_toolkit: false} | nvidia-driver-daemonset",
        "driver: {usePrecompiled: true, image: 'a.io/driver:1'} | nvidia-driver-daemonset-5.14.0-427.el9-rhcos4.16",
      })
  void whereItIsNotWantedItsContainerIsLeftOut(String policy, String name) {
    assertThat(Rendered.of(policy, cluster()).daemonSet(name).containers())
        .containsExactly("nvidia-driver-ctr");
  }

  @Test
  void withoutImageStream_driverBuildsWithoutTheToolkit() {
    var rendered = Rendered.of("", Facts.cluster().openShift("4.16").coreOs(RELEASE));

    assertThat(rendered.daemonSet("nvidia-driver-daemonset").containers())
        .containsExactly("nvidia-driver-ctr");
  }

  @Test
  void theVgpuManagerIsBuiltTheSameWay() {
    var manager =
        Rendered.of("{sandboxWorkloads: {enabled: true}, vgpuManager: {enabled: true}}", cluster())
            .daemonSet("nvidia-vgpu-manager-daemonset-" + RELEASE);

    assertThat(manager.main().args()).containsExactly("nv-ctr-run-with-dtk");
    assertThat(manager.main().env("OPENSHIFT_VERSION")).isEqualTo("4.16");
    assertThat(manager.selector())
        .isEqualTo(Map.of("app", "nvidia-vgpu-manager-daemonset-" + RELEASE));
  }

  private static Facts cluster() {
    return Facts.cluster()
        .openShift("4.16")
        .coreOs(RELEASE)
        .driverToolkit(Map.of(RELEASE, "dtk:1", "416.94.2", "dtk:2"));
  }
}
