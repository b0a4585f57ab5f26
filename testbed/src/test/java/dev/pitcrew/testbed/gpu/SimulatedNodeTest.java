package dev.pitcrew.testbed.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedNodeTest {
  @TempDir Path folder;

  @Test
  void gpusArePciFunctionsOfTheNode() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g").withGpus(8));

    assertThat(node.gpus()).hasSize(8);
    var gpu = node.gpus().get(4);
    assertThat(gpu.uuid()).isEqualTo("GPU-12345678-1234-1234-1234-123456780004");
    assertThat(gpu.name()).isEqualTo("NVIDIA A100-SXM4-40GB");
    var function = folder.resolve("sys/bus/pci/devices").resolve(gpu.pciAddress());
    assertThat(function.resolve("vendor")).hasContent("0x10de");
    assertThat(function.resolve("device")).hasContent("0x20b0");
    assertThat(function.resolve("class")).hasContent("0x030200");
    assertThat(function.resolve("numa_node")).hasContent("1");
    assertThat(function.resolve("driver").toRealPath().getFileName()).hasToString("nvidia");
    assertThat(Files.readAllBytes(function.resolve("config"))).hasSize(256).startsWith(0xde, 0x10);
  }

  @Test
  void aNetworkCardCanBeAdded() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("t4"));

    node.addPciFunction(SimulatedPciFunction.networkCard("0000:51:00.0"));

    var function = folder.resolve("sys/bus/pci/devices/0000:51:00.0");
    assertThat(function.resolve("vendor")).hasContent("0x15b3");
    assertThat(function.resolve("class")).hasContent("0x020000");
    assertThat(function.resolve("sriov_totalvfs")).hasContent("16");
  }

  @Test
  void theDriverLeavesItsFilesBelowItsRoot() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));

    assertThat(node.driverRoot()).isEqualTo(folder.resolve("run/nvidia/driver"));
    var libraries = node.state().resolveSibling(".").normalize();
    assertThat(libraries.resolve("libcuda.so").toRealPath().getFileName())
        .hasToString("libcuda.so.550.163.01");
    assertThat(libraries.resolve("libnvidia-ml.so.1").toRealPath()).isNotEmptyFile();
    assertThat(node.driverRoot().resolve("usr/bin/nvidia-smi")).isExecutable();
  }

  @Test
  void onlyTheControlDeviceAndTheGpusHaveNodesAndOnlyInTheDriversRoot() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));

    assertThat(names(node.driverRoot().resolve("dev")))
        .containsExactlyInAnyOrder("nvidiactl", "nvidia0", "nvidia1");
    assertThat(folder.resolve("dev")).doesNotExist();
  }

  @Test
  void theKernelListsTheDriverUnderOtherNumbersAfterAReload() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    var devices = folder.resolve("proc/devices");
    var first = uvm(devices);

    node.unloadDriver();
    assertThat(uvm(devices)).isEmpty();
    node.loadDriver();

    assertThat(uvm(devices)).hasSize(1).isNotEqualTo(first);
  }

  private static List<String> uvm(Path devices) throws IOException {
    return Files.readAllLines(devices).stream().filter(it -> it.endsWith(" nvidia-uvm")).toList();
  }

  private static List<String> names(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Test
  void aDriverContainerFindsAMachineWithoutDriver() {
    var node = SimulatedNode.withoutDriver(folder, SimulatedNodeOptions.of("h100"));

    assertThat(node.hasDriverFiles()).isFalse();
    assertThat(node.driverRoot()).isEmptyDirectory();
    assertThat(node.state()).isEqualTo(folder.resolve("nvml-sim.state"));
    assertThat(folder.resolve("sys/module/nvidia")).doesNotExist();
    assertThat(folder.resolve("proc/modules")).content().doesNotContain("nvidia");
    assertThat(folder.resolve("sbin/nvidia-driver")).isExecutable();
  }

  @Test
  void divisionAndFaultsReachTheSharedState() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));

    node.divide("mode 0 1 1\ngi 0 7 0 4 1\nci 0 7 0 0 0 1\n");

    assertThat(node.migDevices())
        .singleElement()
        .satisfies(device -> {
          assertThat(device.gpu()).isZero();
          assertThat(device.gpuInstance()).isEqualTo(7);
          assertThat(device.uuid()).startsWith("MIG-");
        });
    assertThatThrownBy(() -> node.divide("gi 9 1 0 0 1\n"))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining("no GPU 9");
  }

  @Test
  void theKernelForgetsADriverThatIsUnloaded() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    assertThat(folder.resolve("proc/modules")).content().contains("nvidia_uvm");

    node.unloadDriver();
    assertThat(folder.resolve("proc/modules")).content().doesNotContain("nvidia");
    assertThat(folder.resolve("proc/driver/nvidia-caps/mig-minors")).doesNotExist();

    node.loadDriver();
    assertThat(folder.resolve("proc/driver/nvidia-caps/mig-minors"))
        .content()
        .contains("gpu1/gi2/access 156\n", "gpu1/gi2/ci0/access 157\n");
  }
}
