package dev.pitcrew.testbed.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Beside what a real H100 with driver 580.159.04 shows.
class DriverProcFilesTest {
  private static final SimulatedGpu GPU =
      new SimulatedGpu(0, 0, "GPU-1", "0000:00:06.0", -1, "NVIDIA H100 80GB HBM3");

  private DriverProcFiles files;
  private Path proc;

  @BeforeEach
  void prepare(@TempDir Path folder) {
    files = new DriverProcFiles(new NodeFolder(folder));
    proc = folder.resolve("proc");
  }

  @Test
  void capabilitiesAreNumberedForAsManyGpusAsThereCouldBe() throws IOException {
    files.write("580.159.04", List.of(GPU), 0);

    assertThat(lines("driver/nvidia-caps/mig-minors"))
        .hasSize(2 + 32 * 15 * 9)
        .startsWith("config 1", "monitor 2", "gpu0/gi0/access 3", "gpu0/gi0/ci0/access 4")
        .contains("gpu0/gi1/access 12", "gpu0/gi14/ci0/access 130")
        .endsWith("gpu31/gi14/ci7/access 4322");
    assertThat(lines("driver/nvidia-caps/sys-minors")).containsExactly("fabric-imex-mgmt 4323");
    assertThat(lines("driver/nvidia-caps/nvlink-minors")).containsExactly("fabric-mgmt 0");
  }

  @Test
  void eachCapabilityHasItsMinorAndItsMode() throws IOException {
    files.write("580.159.04", List.of(GPU), 0);

    assertThat(lines("driver/nvidia/capabilities/mig/config"))
        .containsExactly("DeviceFileMinor: 1", "DeviceFileMode: 256", "DeviceFileModify: 1");
    assertThat(lines("driver/nvidia/capabilities/mig/monitor"))
        .containsExactly("DeviceFileMinor: 2", "DeviceFileMode: 292", "DeviceFileModify: 1");
    assertThat(lines("driver/nvidia/capabilities/fabric-imex-mgmt"))
        .containsExactly("DeviceFileMinor: 4323", "DeviceFileMode: 256", "DeviceFileModify: 1");
    assertThat(lines("driver/nvidia/params"))
        .hasSize(42)
        .contains("ModifyDeviceFiles: 1", "DeviceFileMode: 438", "NvLinkDisable: 0");
  }

  @Test
  void theDriverSaysWhatItIs() throws IOException {
    files.write("580.159.04", List.of(GPU), 0);

    assertThat(lines("driver/nvidia/version").getFirst())
        .startsWith(
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (");
    assertThat(lines("driver/nvidia/gpus/0000:00:06.0/information"))
        .contains(
            "Model: \t\t NVIDIA H100 80GB HBM3",
            "GPU UUID: \t GPU-1",
            "Bus Location: \t 0000:00:06.0",
            "Device Minor: \t 0",
            "GPU Excluded:\t No");
  }

  @Test
  void anOlderDriverIsOfTheClosedModules() throws IOException {
    files.write("550.163.01", List.of(GPU), 0);

    assertThat(lines("driver/nvidia/version").getFirst())
        .startsWith("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  ");
  }

  @Test
  void nothingIsLeftOfADriverThatIsUnloaded() throws IOException {
    files.write("580.159.04", List.of(GPU), 0);

    files.remove();

    assertThat(proc.resolve("driver")).isEmptyDirectory();
    assertThat(lines("devices")).noneMatch(line -> line.contains("nvidia"));
  }

  private List<String> lines(String file) throws IOException {
    return Files.readAllLines(proc.resolve(file));
  }
}
