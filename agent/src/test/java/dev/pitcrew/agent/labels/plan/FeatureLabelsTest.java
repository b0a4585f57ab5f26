package dev.pitcrew.agent.labels.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeatureLabelsTest {
  private static final String F = "feature.node.kubernetes.io/";
  private static final int NVIDIA = 0x10de;
  private static final int MELLANOX = 0x15b3;

  @ParameterizedTest
  @CsvSource({
    "0x030200, 'pci-0302_10de.present,pci-10de.present'",
    "0x030000, 'pci-0300_10de.present,pci-10de.present'",
    "0x120000, 'pci-10de.present'",
    "0x020000, ''",
    "0x068000, ''",
    "0x040300, ''",
  })
  void functionOfNvidiaMakesAGpuNodeOnlyIfItComputes(String pciClass, String expected) {
    var labels =
        PciLabels.of(List.of(function(NVIDIA, Integer.decode(pciClass), OptionalInt.empty())));

    assertThat(labels.keySet().stream().map(key -> key.substring(F.length())).toList())
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(",")));
  }

  @Test
  void networkFunctionsOfOthersAreShownWithTheirVirtualFunctions() {
    assertThat(PciLabels.of(List.of(function(MELLANOX, 0x020700, OptionalInt.of(8)))))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(F + "pci-15b3.present", "true", F + "pci-15b3.sriov.capable", "true"));
    assertThat(PciLabels.of(List.of(function(0x8086, 0x010802, OptionalInt.empty())))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "5.14.0-284.43.1.el9_2.x86_64, 5.14.0-284.43.1.el9_2.x86_64, 5, 14, 0",
    "6.0.10-100+123.x86_64~, 6.0.10-100_123.x86_64, 6, 0, 10",
    "6.8, 6.8, 6, 8, ''",
    "7, 7, 7, '', ''",
  })
  void kernelVersionIsTakenApart(
      String release, String full, String major, String minor, String revision) {
    assertThat(KernelLabels.of(release))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                F + "kernel-version.full", full,
                F + "kernel-version.major", major,
                F + "kernel-version.minor", minor,
                F + "kernel-version.revision", revision));
  }

  @Test
  void kernelVersionOfAnotherFormHasNoParts() {
    assertThat(KernelLabels.of("6.6.87.2-microsoft-standard-WSL2"))
        .containsOnlyKeys(F + "kernel-version.full");
    assertThat(KernelLabels.of("")).isEmpty();
  }

  @Test
  void longKernelVersionIsCutRatherThanDropped() {
    assertThat(KernelLabels.of("6.8.0-" + "a".repeat(56) + ".b").get(F + "kernel-version.full"))
        .isEqualTo("6.8.0-" + "a".repeat(56));
  }

  @Test
  void distributionIsReadFromOsRelease() {
    String ubuntu =
        """
        NAME="Ubuntu"
        ID=ubuntu
        VERSION_ID="22.04"
        """;

    assertThat(OsReleaseLabels.of(ubuntu))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                F + "system-os_release.ID", "ubuntu",
                F + "system-os_release.VERSION_ID", "22.04",
                F + "system-os_release.VERSION_ID.major", "22",
                F + "system-os_release.VERSION_ID.minor", "04"));
    assertThat(OsReleaseLabels.of("ID='rhel'\nVERSION_ID=9\nOSTREE_VERSION=\"9.6.2+1\"\n"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                F + "system-os_release.ID", "rhel",
                F + "system-os_release.VERSION_ID", "9",
                F + "system-os_release.VERSION_ID.major", "9",
                F + "system-os_release.OSTREE_VERSION", "9.6.2_1"));
    assertThat(OsReleaseLabels.of("ID=arch\n")).containsOnlyKeys(F + "system-os_release.ID");
  }

  @ParameterizedTest
  @CsvSource({
    "'vendor_id\t: GenuineIntel', Intel",
    "'vendor_id\t: AuthenticAMD', AMD",
    "'CPU implementer\t: 0x41', ARM",
    "'CPU implementer\t: 0x4e', NVIDIA",
  })
  void makerOfTheProcessorIsNamed(String line, String vendor) {
    assertThat(CpuLabels.of("processor\t: 0\n" + line + "\n"))
        .containsExactly(Map.entry(F + "cpu-model.vendor_id", vendor));
    assertThat(CpuLabels.of("vendor_id\t: Other\n")).isEmpty();
  }

  @Test
  void loadedModulesAreCapabilities() {
    assertThat(ModuleLabels.of("nvidia_fs 1 0 - Live\ngdrdrv 2 0 - Live\nnvidia_peermem_x 1\n"))
        .containsOnlyKeys("nvidia.com/gds.capable", "nvidia.com/gdrcopy.capable");
  }

  @Test
  void integratedGpu_isLabelled() {
    var files = new FeatureFacts.Files("", "", "", "nvidia,p3701\0nvidia,tegra234\0");

    assertThat(FeatureLabels.of(new FeatureFacts(List.of(), "", files)))
        .containsExactly(Map.entry("nvidia.com/gpu.present", "true"));
  }

  @Test
  void labelsOfNfdStayItsOwn() {
    var desired =
        new TreeMap<>(Map.of(F + "pci-10de.present", "true", "nvidia.com/gds.capable", "true"));
    String owned = "cpu-model.id,pci-10de.present";

    assertThat(Coexistence.toWrite(desired, owned, DiscoveryMode.AUTO))
        .containsOnlyKeys("nvidia.com/gds.capable");
    assertThat(Coexistence.toWrite(desired, "", DiscoveryMode.AUTO)).isEqualTo(desired);
    assertThat(Coexistence.toWrite(desired, owned, DiscoveryMode.NATIVE)).isEqualTo(desired);
    assertThat(Coexistence.toWrite(desired, "", DiscoveryMode.NFD))
        .containsOnlyKeys("nvidia.com/gds.capable");
  }

  @Test
  void gpuIsGoneOnlyAfterThreeScansWithoutIt() {
    var gpu = new TreeMap<>(Map.of(F + "pci-10de.present", "true"));
    var none = new TreeMap<>(Map.of(F + "kernel-version.full", "6.8"));

    var once = GpuPresence.UNKNOWN.after(gpu).after(none);
    var twice = once.after(none);

    assertThat(once.shown()).containsKeys(F + "pci-10de.present", F + "kernel-version.full");
    assertThat(twice.shown()).containsKey(F + "pci-10de.present");
    assertThat(twice.after(none).shown()).isEqualTo(none);
    assertThat(twice.after(gpu).after(none).missedScans()).isEqualTo(1);
  }

  private static PciDevice function(int vendor, int pciClass, OptionalInt virtualFunctions) {
    return new PciDevice(
        "0000:01:00.0",
        new PciDevice.Identity(vendor, 1, 0, 0),
        pciClass,
        OptionalInt.empty(),
        virtualFunctions,
        false,
        Optional.empty());
  }
}
