package dev.pitcrew.hardware.pci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PciDevicesTest {
  @TempDir Path root;

  @Test
  void functionsAreReadByAddress() throws IOException {
    file("0000:3b:00.0", "vendor", "0x10de");
    file("0000:3b:00.0", "device", "0x20b0");
    file("0000:3b:00.0", "class", "0x030200");
    file("0000:3b:00.0", "numa_node", "1");
    Files.createSymbolicLink(
        folder("0000:3b:00.0").resolve("driver"), Path.of("../../../bus/pci/drivers/nvidia"));
    file("0000:17:00.0", "vendor", "0x15b3");
    file("0000:17:00.0", "device", "0x101d");
    file("0000:17:00.0", "class", "0x020000");
    file("0000:17:00.0", "numa_node", "-1");
    file("0000:17:00.0", "sriov_totalvfs", "16");

    assertThat(devices().all())
        .containsExactly(
            new PciDevice(
                "0000:17:00.0",
                new Identity(0x15b3, 0x101d, 0, 0),
                0x020000,
                OptionalInt.empty(),
                OptionalInt.of(16),
                false,
                Optional.empty()),
            new PciDevice(
                "0000:3b:00.0",
                new Identity(0x10de, 0x20b0, 0, 0),
                0x030200,
                OptionalInt.of(1),
                OptionalInt.empty(),
                false,
                Optional.of("nvidia")));
    assertThat(devices().all()).filteredOn(PciDevice::isNvidiaGpu).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "pci0000:3a/0000:3a:00.0/0000:3b:00.0, pci0000:3a",
    "pci0000:3b/0000:3b:00.0, pci0000:3b",
    "pci10000:e0/0000:3b:00.0, pci10000:e0",
    "pci0000:00/0000:00:0e.0/pci10000:e0/0000:3b:00.0, pci0000:00",
    "platform/soc/0000:3b:00.0,",
  })
  void rootComplexIsTheFirstFolderOfTheRealPath(String real, @Nullable String expected)
      throws IOException {
    Files.createDirectories(root.resolve("sys/devices").resolve(real));
    Files.createDirectories(root.resolve("sys/bus/pci/devices"));
    Files.createSymbolicLink(
        root.resolve("sys/bus/pci/devices/0000:3b:00.0"), Path.of("../../../devices/" + real));

    assertThat(devices().root("0000:3b:00.0")).isEqualTo(Optional.ofNullable(expected));
  }

  @Test
  void functionThatIsNoLinkHasNoKnownRootComplex() throws IOException {
    file("0000:3b:00.0", "vendor", "0x10de");

    assertThat(devices().root("0000:3b:00.0")).isEmpty();
    assertThat(devices().root("../../etc")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0x10de, 0x030000, true",
    "0x10de, 0x030200, true",
    "0x10de, 0x120000, true",
    "0x10de, 0x120001, true",
    "0x10de, 0x038000, false",
    "0x10de, 0x040300, false",
    "0x10de, 0x068000, false",
    "0x1002, 0x120000, false",
  })
  void gpusAreDisplayControllersAndAcceleratorsOfNvidia(
      String vendor, String pciClass, boolean isGpu) throws IOException {
    file("0000:3b:00.0", "vendor", vendor);
    file("0000:3b:00.0", "device", "0x20b0");
    file("0000:3b:00.0", "class", pciClass);

    assertThat(devices().all()).extracting(PciDevice::isNvidiaGpu).containsExactly(isGpu);
  }

  @Test
  void unreadableDevice_isLeftOut() throws IOException {
    file("0000:3b:00.0", "vendor", "0x10de");
    file("0000:3b:00.0", "device", "what");
    file("0000:3b:00.0", "class", "0x030200");

    assertThat(devices().all()).isEmpty();
    assertThat(devices().at("../../etc")).isEmpty();
    assertThat(devices().configurationSpace("0000:3b:00.0")).isEmpty();
  }

  @Test
  void nvmlWritesLongerDomains() {
    assertThat(PciAddress.ofNvml("00000000:3B:00.0")).contains("0000:3b:00.0");
    assertThat(PciAddress.ofNvml("00010000:01:00.0")).contains("10000:01:00.0");
    assertThat(PciAddress.ofNvml("0009:01:00.0")).contains("0009:01:00.0");
    assertThat(PciAddress.ofNvml("garbage")).isEmpty();
  }

  private PciDevices devices() {
    return new PciDevices(new HostRoot(root));
  }

  private Path folder(String address) throws IOException {
    return Files.createDirectories(root.resolve("sys/bus/pci/devices").resolve(address));
  }

  private void file(String address, String name, String content) throws IOException {
    Files.writeString(folder(address).resolve(name), content + "\n");
  }
}
