package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which driver DaemonSets a cluster has.
class DriverVariantsTest {
  private static final String BASE = "nvidia-driver-daemonset";
  private static final String FEATURE = "feature.node.kubernetes.io/";

  @Nested
  class OneForEachOperatingSystem {
    @Test
    void aClusterOfOneSystemHasOneForAllItsNodes() {
      var rendered = Rendered.of("", Facts.cluster().node("rocky9.4").node("rocky9.6"));

      assertThat(rendered.daemonSets())
          .filteredOn(name -> name.startsWith(BASE))
          .containsOnly(BASE);
      var driver = rendered.daemonSet(BASE);
      assertThat(driver.main().image()).isEqualTo("example.com/driver:1-rocky9");
      assertThat(driver.nodeSelector()).isEqualTo(Map.of("nvidia.com/gpu.deploy.driver", "true"));
    }

    // defect 14
    @Test
    void everySystemGetsItsOwnImageOnItsOwnNodes() {
      var rendered = Rendered.of("", Facts.cluster().node("ubuntu22.04").node("rocky9.6"));

      assertThat(rendered.daemonSet(BASE).main().image()).endsWith("-rocky9");
      assertThat(rendered.daemonSet(BASE).nodeSelector())
          .contains(
              entry(FEATURE + "system-os_release.ID", "rocky"),
              entry(FEATURE + "system-os_release.VERSION_ID.major", "9"));
      var ubuntu = rendered.daemonSet(BASE + "-ubuntu22.04");
      assertThat(ubuntu.main().image()).endsWith("-ubuntu22.04");
      assertThat(ubuntu.nodeSelector())
          .contains(
              entry(FEATURE + "system-os_release.ID", "ubuntu"),
              entry(FEATURE + "system-os_release.VERSION_ID", "22.04"));
    }

    // defect 14
    @Test
    void theSystemThatRunsTodayKeepsItsDaemonSetWhenAnotherJoins() {
      var rendered =
          Rendered.of(
              "",
              Facts.cluster().node("ubuntu22.04").node("rocky9.6").serving(BASE, "ubuntu22.04"));

      assertThat(rendered.daemonSet(BASE).main().image()).endsWith("-ubuntu22.04");
      assertThat(rendered.daemonSet(BASE + "-rocky9").main().image()).endsWith("-rocky9");
    }

    // defect 14
    @Test
    void systemThatAVgpuManagerServes_keepsItsDaemonSet() {
      var rendered =
          Rendered.of(
              "{sandboxWorkloads: {enabled: true}, vgpuManager: {enabled: true, image: example.com/vgpu:1}}",
              Facts.cluster()
                  .node("ubuntu22.04")
                  .node("rocky9.6")
                  .serving("nvidia-vgpu-manager-daemonset", "ubuntu22.04"));

      assertThat(rendered.daemonSet("nvidia-vgpu-manager-daemonset").main().image())
          .endsWith("-ubuntu22.04");
      assertThat(rendered.daemonSets()).contains("nvidia-vgpu-manager-daemonset-rocky9");
    }

    // defect 14
    @Test
    void sideContainersFollowTheSystemToo() {
      var rendered =
          Rendered.of(
              "{gds: {enabled: true}, gdrcopy: {enabled: true}}",
              Facts.cluster().node("ubuntu22.04").node("rocky9.6"));

      assertThat(rendered.daemonSet(BASE + "-ubuntu22.04").container("nvidia-fs-ctr").image())
          .isEqualTo("example.com/gds:1-ubuntu22.04");
      assertThat(rendered.daemonSet(BASE).container("nvidia-gdrcopy-ctr").image())
          .isEqualTo("example.com/gdrcopy:1-rocky9");
    }

    @Test
    void withoutAKnownSystemNothingIsChanged() {
      var rendered = Rendered.of("", Facts.cluster().unlabelledNode("n1").unlabelledNode("n2"));

      assertThat(rendered.blocked()).containsExactly("state-driver");
      assertThat(rendered.reasons()).containsExactly("NodeLabelsMissing");
      assertThat(rendered.problems().getFirst())
          .endsWith("see that feature discovery runs on n1, n2");
    }

    @Test
    void nodeThatIsNotLabelledYet_delaysNoOther() {
      var rendered = Rendered.of("", Facts.oneNode().unlabelledNode("n2"));

      assertThat(rendered.problems()).isEmpty();
      assertThat(rendered.daemonSets()).contains(BASE);
    }
  }

  @Nested
  class OneForEachKernelOfPrecompiledDrivers {
    private static final String POLICY =
        "driver: {usePrecompiled: true, repository: a.io, image: driver, version: '580'}";

    @ParameterizedTest
    @CsvSource({
      "5.15.0-78-generic, 5.15.0-78-generic",
      "5.14.0-427.13.1.el9_4.x86_64, 5.14.0-427.13.1.el9.4",
      "5.14.0-427.el9.aarch64_64k, 5.14.0-427.el9",
      "6.6.0-RC1, 6.6.0-rc1",
      "6.6.0-rc1+, 6.6.0-rc1",
      "6.6.0~pre+vendor, 6.6.0-pre-vendor",
    })
    void aKernelIsNamedAsObjectsMayBe(String kernel, String name) {
      assertThat(DriverVariant.nameOf(kernel)).isEqualTo(name);
    }

    @Test
    void eachHasTheImageOfItsKernelOnTheNodesThatRunIt() {
      var rendered =
          Rendered.of(
              POLICY,
              Facts.cluster()
                  .node("ubuntu22.04", "5.15.0-78-generic")
                  .node("rocky9.6", "5.14.0-427.el9.x86_64"));

      var ubuntu = rendered.daemonSet(BASE + "-5.15.0-78-generic-ubuntu22.04");
      assertThat(ubuntu.main().image()).isEqualTo("a.io/driver:580-5.15.0-78-generic-ubuntu22.04");
      assertThat(ubuntu.nodeSelector())
          .containsEntry(FEATURE + "kernel-version.full", "5.15.0-78-generic");
      assertThat(ubuntu.labels()).containsEntry("nvidia.com/precompiled", "true");
      assertThat(ubuntu.podLabels()).containsEntry("nvidia.com/precompiled", "true");
      // The name has the full version of the system, the tag of its image only the major one.
      assertThat(rendered.daemonSet(BASE + "-5.14.0-427.el9-rocky9.6").main().image())
          .isEqualTo("a.io/driver:580-5.14.0-427.el9.x86_64-rocky9");
    }

    @Test
    void driversThatBuildTheirModulesSayThatTheyDo() {
      var driver = Rendered.of("", Facts.oneNode()).daemonSet(BASE);

      assertThat(driver.labels()).containsEntry("nvidia.com/precompiled", "false");
      assertThat(driver.podLabels()).containsEntry("nvidia.com/precompiled", "false");
    }

    @Test
    void kernelsThatDifferInArchitectureOnlyDoNotShareAName() {
      var rendered =
          Rendered.of(
              POLICY,
              Facts.cluster()
                  .node("rhel9.4", "5.14.0-427.el9.aarch64")
                  .node("rhel9.4", "5.14.0-427.el9.x86_64"));
      var drivers = rendered.daemonSets().stream().filter(name -> name.startsWith(BASE)).toList();

      assertThat(drivers).hasSize(2).doesNotHaveDuplicates();
      assertThat(rendered.daemonSet(BASE + "-5.14.0-427.el9-rhel9.4").main().image())
          .contains("x86_64");
    }

    @Test
    void anImageWithAFullPathIsTagged() {
      var rendered =
          Rendered.of("driver: {usePrecompiled: true, image: 'a.io/driver:580'}", Facts.oneNode());

      assertThat(rendered.daemonSet(BASE + "-5.15.0-78-generic-ubuntu22.04").main().image())
          .isEqualTo("a.io/driver:580-5.15.0-78-generic-ubuntu22.04");
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "{usePrecompiled: true}                                                       | spec.driver.image is empty",
          "{usePrecompiled: true, repository: a.io, image: driver}                      | spec.driver.image is \"driver\"",
          "{usePrecompiled: true, repository: a.io, image: driver, version: 'sha256:0'} | spec.driver.version is \"sha256:0\"",
          "{usePrecompiled: true, repository: a.io, image: driver, version: '5@sha256:0'} | spec.driver.version is \"5@sha256:0\"",
        })
    void singleImage_cannotServeManyKernels(String driver, String message) {
      var rendered = Rendered.of("driver: " + driver, Facts.oneNode());

      assertThat(rendered.reasons()).containsExactly("ImageInvalid");
      assertThat(rendered.problems().getFirst()).startsWith(message);
    }

    @Test
    void kernelOnTwoSystems_isRefused_andNamed() {
      var rendered =
          Rendered.of(
              POLICY, Facts.cluster().node("ubuntu22.04", "6.8.0").node("ubuntu24.04", "6.8.0"));

      assertThat(rendered.problems())
          .containsExactly(
              "spec.driver.usePrecompiled is \"true\": kernel 6.8.0 runs on ubuntu22.04 and ubuntu24.04, and precompiled drivers need one operating system per kernel");
    }

    @Test
    void aNodeWithoutKernelLabelIsNamedAsTheCause() {
      var rendered = Rendered.of(POLICY, Facts.cluster().node("ubuntu22.04", ""));

      assertThat(rendered.reasons()).containsExactly("NodeLabelsMissing");
      assertThat(rendered.problems().getFirst()).contains(FEATURE + "kernel-version.full");
    }
  }
}
