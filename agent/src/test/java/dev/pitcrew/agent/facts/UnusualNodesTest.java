package dev.pitcrew.agent.facts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice;
import dev.pitcrew.hardware.pci.PciDevices;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.gpu.SimulatedPciFunction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Labels of nodes that are not as boards' tables have them, through the command line and the
/// simulated NVML.
class UnusualNodesTest {
  private static final int VGA_CONTROLLER = 0x030000;
  private static final String PRODUCT = "nvidia.com/gpu.product";

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "NVIDIA (Test)  RTX/6000 + Ada, NVIDIA-Test-RTX6000-Ada",
    "some-thing.else_new, some-thing.else_new",
    "' NVIDIA [ A100 ] ', NVIDIA-A100",
    "(Grün) GPU.-, Grn-GPU",
  })
  void productHasOnlyWhatALabelMayHave(String name, String product) {
    SimulatedNode node = node("l40s");
    rename(node, name);

    assertThat(labels(node)).containsEntry(PRODUCT, product);
  }

  @Test
  void aLongProductStillSaysThatItIsShared() throws IOException {
    SimulatedNode node = node("l40s");
    rename(node, "NVIDIA " + "Extraordinarily ".repeat(5) + "Long");

    String product = labels(node, sharing("replicas: 2")).getOrDefault(PRODUCT, "");

    assertThat(product).hasSize(63).startsWith("NVIDIA-Extraordinarily-").endsWith("-SHARED");
  }

  @Test
  void aNameOfItsOwnAndDevicesOfItsOwnAreNotGivenToReplicas() throws IOException {
    SimulatedNode node = node("l40s");

    assertThat(labels(node, sharing("replicas: 3, rename: nvidia.com/few, devices: [0]")))
        .containsEntry(PRODUCT, "NVIDIA-L40S-SHARED")
        .containsEntry("nvidia.com/gpu.replicas", "3");
  }

  @Test
  void refusingMoreThanOneReplicaShowsInNoLabel() throws IOException {
    SimulatedNode node = node("l40s");
    Path refusing =
        config(
            "timeSlicing: {failRequestsGreaterThanOne: true, resources: [{name: gpu, replicas: 2}]}");

    assertThat(labels(node, refusing)).isEqualTo(labels(node, sharing("replicas: 2")));
  }

  @ParameterizedTest
  @CsvSource({"0", "1"})
  void lessThanTwoReplicasAreRefusedByName(String replicas) throws IOException {
    Path config = sharing("replicas: " + replicas);

    var run = CommandRun.of(node("l40s"), "labels", "--oneshot", "--config-file=" + config);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).contains("replicas").contains(replicas);
  }

  @Test
  void memoryThatIsNotReported_isNotShown() {
    SimulatedNode node = node("t4");
    node.set(0, "memory_mib", "0");
    node.set(1, "memory_mib", "0");

    assertThat(labels(node)).containsKey(PRODUCT).doesNotContainKey("nvidia.com/gpu.memory");
  }

  @Test
  void modelThatPodsGetAsAWhole_isShownOfTwo() {
    SimulatedNode node = node("a100-40g");
    node.set(1, "name", "NVIDIA A100-PCIE-40GB");
    node.divide(
        """
        mode 0 1 1
        gi 0 1 0 0 1
        ci 0 1 0 0 0 1
        """);

    assertThat(labels(node, "--mig-strategy=mixed"))
        .containsEntry(PRODUCT, "NVIDIA-A100-PCIE-40GB")
        .containsEntry("nvidia.com/gpu.count", "1")
        .containsEntry("nvidia.com/gpu.replicas", "1")
        .containsEntry("nvidia.com/mig-1g.5gb.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")
        .containsEntry("nvidia.com/mig-1g.5gb.count", "1");
    assertThat(labels(node, "--mig-strategy=single"))
        .containsEntry(PRODUCT, "NVIDIA-A100-SXM4-40GB-MIG-INVALID");
  }

  @Test
  void migModeThatAwaitsAResetCountsAsItIsNow() {
    SimulatedNode node = node("a100-40g");
    node.divide("mode 0 1 0\nmode 1 0 1\n");

    assertThat(labels(node, "--mig-strategy=mixed"))
        .containsEntry("nvidia.com/gpu.count", "2")
        .containsEntry("nvidia.com/gpu.replicas", "1");
    assertThat(labels(node, "--mig-strategy=single"))
        .containsEntry(PRODUCT, "NVIDIA-A100-SXM4-40GB-MIG-INVALID");
  }

  @ParameterizedTest
  @CsvSource({"fabric_state, 1", "fabric_state, 2", "fabric_status, 3"})
  void aFabricThatIsNotReadyMakesNoClique(String key, String value) {
    SimulatedNode node = node("gb200");
    node.set(0, key, value);
    assertThat(labels(node)).containsKey("nvidia.com/gpu.clique");

    node.set(1, key, value);

    assertThat(labels(node)).doesNotContainKey("nvidia.com/gpu.clique");
  }

  @Test
  void gpusOfTwoCliquesAreOfNone() {
    SimulatedNode node = node("gb200");
    node.set(1, "fabric_clique", "7");

    assertThat(labels(node)).containsKey(PRODUCT).doesNotContainKey("nvidia.com/gpu.clique");
  }

  @Test
  void aGpuThatDrivesDisplaysMakesANodeForGraphics() {
    SimulatedNode node = node("l40s");
    node.addPciFunction(display(node.gpus().getFirst()));
    assertThat(labels(node)).containsEntry("nvidia.com/gpu.mode", "unknown");

    node.addPciFunction(display(node.gpus().getLast()));

    assertThat(labels(node)).containsEntry("nvidia.com/gpu.mode", "graphics");
  }

  @Test
  void anAcceleratorThatTheDriverDoesNotBindChangesNoLabelOfTheOthers() {
    SimulatedNode node = node("h100");
    var before = labels(node);

    node.addPciFunction(SimulatedPciFunction.accelerator("0000:f0:00.0"));

    assertThat(new PciDevices(new HostRoot(node.hostRoot())).all())
        .filteredOn(PciDevice::isNvidiaGpu)
        .hasSize(3);
    assertThat(labels(node)).isEqualTo(before);
  }

  @Test
  void virtualGpu_reportsTheDriverOfItsHost() throws IOException {
    SimulatedNode node = node("t4");
    Files.write(configurationSpace(node), virtualGpu("550.54.16", "r550_40"));

    assertThat(labels(node))
        .containsEntry("nvidia.com/vgpu.present", "true")
        .containsEntry("nvidia.com/vgpu.host-driver-version", "550.54.16")
        .containsEntry("nvidia.com/vgpu.host-driver-branch", "r550_40");
  }

  @Test
  void withoutTheRightToReadNothingIsSaidOfVirtualGpus() throws IOException {
    SimulatedNode node = node("t4");
    Files.write(configurationSpace(node), new byte[64]);

    assertThat(labels(node)).containsKey(PRODUCT).doesNotContainKey("nvidia.com/vgpu.present");
  }

  @Test
  void aMachineThatIsNotToBeNamedIsUnknown() {
    assertThat(labels(node("t4"), "--machine-type-file="))
        .containsEntry("nvidia.com/gpu.machine", "unknown");
  }

  @Test
  void aDriverVersionOfTwoPartsHasNoRevision() {
    var options = SimulatedNodeOptions.of("t4").withDriver("550.163", "12.10");

    assertThat(labels(SimulatedNode.create(folder.resolve("node"), options)))
        .containsEntry("nvidia.com/cuda.driver-version.full", "550.163")
        .containsEntry("nvidia.com/cuda.driver-version.revision", "")
        .containsEntry("nvidia.com/cuda.driver.rev", "")
        .containsEntry("nvidia.com/cuda.runtime-version.full", "12.10");
  }

  private SimulatedNode node(String profile) {
    return SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of(profile));
  }

  private static void rename(SimulatedNode node, String name) {
    node.set(0, "name", name);
    node.set(1, "name", name);
  }

  private static SimulatedPciFunction display(SimulatedGpu gpu) {
    return new SimulatedPciFunction(
        gpu.pciAddress(), 0x10de26b9, VGA_CONTROLLER, 0, Optional.of("nvidia"), Map.of());
  }

  private static Path configurationSpace(SimulatedNode node) {
    String address = node.gpus().getFirst().pciAddress();
    return node.hostRoot().resolve("sys/bus/pci/devices/" + address + "/config");
  }

  /// A configuration space whose only capability is that of the vendor.
  private static byte[] virtualGpu(String version, String branch) {
    return ByteBuffer.allocate(256)
        .put(0x06, (byte) 0x10)
        .put(0x34, (byte) 0x40)
        .position(0x40)
        .put(new byte[] {0x09, 0, 29, 'V', 'F', 0, 22})
        .put(padded(version))
        .put(padded(branch))
        .array();
  }

  private static byte[] padded(String text) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), 10);
  }

  /// A file that shares `nvidia.com/gpu` as its entry says.
  private Path sharing(String entry) throws IOException {
    return config("timeSlicing: {resources: [{name: nvidia.com/gpu, %s}]}".formatted(entry));
  }

  private Path config(String sharing) throws IOException {
    Path file = Files.createTempFile(folder, "config", ".yaml");
    return Files.writeString(file, "version: v1\nsharing: {%s}\n".formatted(sharing));
  }

  private static SortedMap<String, String> labels(SimulatedNode node, Path config) {
    return labels(node, "--config-file=" + config);
  }

  private static SortedMap<String, String> labels(SimulatedNode node, String... flags) {
    var arguments = new ArrayList<>(List.of("labels", "--oneshot"));
    arguments.addAll(List.of(flags));
    var run = CommandRun.of(node, arguments.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.errors()).isZero();
    var labels = new TreeMap<String, String>();
    run.output()
        .lines()
        .map(line -> line.split("=", 2))
        .forEach(label -> labels.put(label[0], label[1]));
    return labels;
  }
}
