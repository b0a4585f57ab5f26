package dev.pitcrew.hardware.pci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.dra.PassthroughGpu;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A folder in the form of sysfs (Documentation/PCI/sysfs-pci.rst of the kernel).
class PassthroughGpusTest {
  private static final String GPU = "0000:3b:00.0";

  @TempDir Path root;

  @BeforeEach
  void writeGpu() throws IOException {
    function(GPU, "0x10de", "0x2330", "0x030200");
  }

  private void function(String address, String vendor, String device, String pciClass)
      throws IOException {
    file("sys/bus/pci/devices/" + address + "/vendor", vendor);
    file("sys/bus/pci/devices/" + address + "/device", device);
    file("sys/bus/pci/devices/" + address + "/class", pciClass);
  }

  private void file(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, content + "\n");
  }

  private PassthroughGpu gpu() {
    return gpus().all().getFirst();
  }

  private PassthroughGpus gpus() {
    return PassthroughGpus.of(new HostRoot(root));
  }

  /// Of a region of 16 MiB, one of ports, two of 128 GiB and 32 MiB with 64 bits, and the ROM.
  @Test
  void memoryRegionsAreAdded() throws IOException {
    file(
        "sys/bus/pci/devices/" + GPU + "/resource",
        """
        0x00000000c8000000 0x00000000c8ffffff 0x0000000000040200
        0x0000000000003000 0x000000000000307f 0x0000000000040101
        0x0000020000000000 0x0000021fffffffff 0x000000000014220c
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x0000022000000000 0x0000022001ffffff 0x000000000014220c
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x00000000c9000000 0x00000000c907ffff 0x0000000000046200\
        """);

    assertThat(gpu().addressableBytes()).isEqualTo((16L << 20) + (128L << 30) + (32L << 20));
  }

  @Test
  void whatTheKernelDoesNotSayIsLeftOut() {
    assertThat(gpu())
        .isEqualTo(
            new PassthroughGpu(
                0,
                GPU,
                "0x10de",
                "0x2330",
                Optional.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                0,
                OptionalInt.empty(),
                false));
    assertThat(gpus().hasIommu()).isFalse();
  }

  @Test
  void damagedFilesAreNoValues() throws IOException {
    file("sys/bus/pci/devices/" + GPU + "/resource", "0x0 nonsense 0x200\n\n0x1");
    Files.createSymbolicLink(
        root.resolve("sys/bus/pci/devices/" + GPU + "/iommu_group"), Path.of("../../../x"));
    file("usr/share/misc/pci.ids", "10de  NVIDIA Corporation\n\tzzzz  no number\n\t2330");

    assertThat(gpu().addressableBytes()).isZero();
    assertThat(gpu().iommuGroup()).isEmpty();
    assertThat(gpu().product()).isEmpty();
  }

  @Test
  void namesAreThoseOfTheListOfTheHost() throws IOException {
    file(
        "usr/share/misc/pci.ids",
        "# a list\n10dd  Evans\n\t2330  another\n10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n\t\t10de 16c1  H100\n10df  Emulex\n\t2331  not of NVIDIA");

    assertThat(gpu().product()).contains("GH100 [H100 SXM5 80GB]");
  }

  @Test
  void gpusCountInTheOrderOfTheirAddresses() throws IOException {
    function("0000:1a:00.0", "0x10de", "0x2330", "0x030000");
    function("0000:1b:00.0", "0x10de", "0x22a3", "0x068000");
    function("0000:1c:00.0", "0x8086", "0x2330", "0x030000");
    function("0000:1d:00.0", "0x10de", "0x2330", "0x030200");
    Files.createDirectories(root.resolve("sys/bus/pci/devices/0000:1d:00.0/physfn"));

    assertThat(gpus().all())
        .extracting(gpu -> gpu.name() + " " + gpu.address())
        .containsExactly("gpu-vfio-0 0000:1a:00.0", "gpu-vfio-1 " + GPU);
  }
}
