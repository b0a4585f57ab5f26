package dev.pitcrew.agent.validation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverBlockersTest {
  private static final Fabric IN_PROGRESS = new Fabric.Pending("in progress");

  @Test
  void nothingIsWrongWithAWorkingNode() {
    assertThat(reasons(TestFacts.working())).isEmpty();
  }

  @Test
  void unknownReason_isNoBlocker() {
    assertThat(reasons(TestFacts.silent())).isEmpty();
  }

  @Test
  void gpusOfVirtualMachinesAreNamed() {
    var facts = TestFacts.unloaded().boundTo("vfio-pci");

    assertThat(reasons(facts)).first().isEqualTo("GpuBoundToVfio");
    assertThat(message(facts)).contains("0000:00:00.0, 0000:01:00.0", "workload.config=container");
  }

  @Test
  void gpusOfVirtualMachinesAreWantedOnANodeForThem() {
    assertThat(reasons(TestFacts.unloaded().boundTo("vfio-pci").forPassthrough())).isEmpty();

    var unbound = TestFacts.unloaded().boundTo("").forPassthrough();
    assertThat(reasons(unbound)).first().isEqualTo("GpuNotBoundToVfio");
    assertThat(message(unbound)).contains("0000:00:00.0, 0000:01:00.0", "nvidia-vfio-manager");
  }

  @Test
  void nouveauComesBeforeTheModuleThatItKeepsOut() {
    var facts = TestFacts.unloaded("nouveau").boundTo("nouveau");

    assertThat(reasons(facts)).containsExactly("NouveauLoaded", "ModuleNotLoaded");
    assertThat(message(facts)).contains("blacklist nouveau");
  }

  @Test
  void nouveauThatHasNoGpuIsNotInTheWayOfADriverThatAnswers() {
    assertThat(reasons(TestFacts.working().with(TestFacts.kernel(Set.of("nvidia", "nouveau")))))
        .isEmpty();
  }

  @Test
  void driverThatIsNotThereAndModuleThatIsNotLoadedAreTwoThings() {
    assertThat(reasons(TestFacts.unloaded().with(TestFacts.files(Optional.empty()))))
        .containsExactly("DriverNotInstalled");
    assertThat(reasons(TestFacts.unloaded())).containsExactly("ModuleNotLoaded");
  }

  @Test
  void secureBootIsBlamedOnlyWhereTheKernelSaysSo() {
    var refusal = "nvidia: module with unavailable key is rejected";

    assertThat(reasons(TestFacts.unloaded().with(secureBoot(List.of(refusal)))))
        .first()
        .isEqualTo("SecureBootRefusedModule");
    assertThat(message(TestFacts.unloaded().with(secureBoot(List.of(refusal)))))
        .contains(refusal, "mokutil");
    assertThat(reasons(TestFacts.unloaded().with(secureBoot(List.of()))))
        .containsExactly("ModuleNotLoaded");
  }

  @Test
  void versionMismatch_isFoundByNvml_orByTheFiles() {
    var replaced = TestFacts.working().with(TestFacts.files(Optional.of("570.86.15")));
    var said =
        TestFacts.working()
            .silent("nvmlInit_v2: library and kernel module have different versions");

    assertThat(reasons(replaced)).containsExactly("DriverVersionMismatch");
    assertThat(message(replaced)).contains(TestFacts.VERSION, "570.86.15", "reboot the node");
    assertThat(reasons(said)).containsExactly("DriverVersionMismatch");
  }

  @ParameterizedTest
  @CsvSource({
    "/, nvidia_drm, -, modprobe nvidia-uvm; the agent",
    "/run/nvidia/driver, nvidia_drm, -, chroot /run/nvidia/driver modprobe nvidia-uvm",
    "/, nvidia_uvm, -, CREATE_DEVICE_NODES",
    "/, nvidia_uvm, /dev/nvidia1 cannot be made: errno 1, has to be privileged",
  })
  void missingDeviceNodesComeWithARemedyThatFitsTheNode(
      String root, String module, String problem, String remedy) {
    var files =
        new DriverFacts.Files(
            root,
            root,
            Optional.of(TestFacts.VERSION),
            true,
            List.of("/dev/nvidia-uvm", "/dev/nvidia1"),
            problem.equals("-") ? List.of() : List.of(problem),
            ContainerFlags.NOTHING);
    var facts = TestFacts.working().with(files).with(TestFacts.kernel(Set.of("nvidia", module)));

    assertThat(reasons(facts)).containsExactly("DeviceNodesMissing");
    assertThat(message(facts)).contains("below " + root, "/dev/nvidia-uvm, /dev/nvidia1", remedy);
  }

  @ParameterizedTest
  @CsvSource({
    "true, true, /, FabricNotReady, systemctl status nvidia-fabricmanager",
    "true, false, /, FabricManagerNotRunning, enable --now nvidia-fabricmanager",
    "false, true, /, FabricNotReady, systemctl status nvidia-fabricmanager",
    "false, false, /, FabricNotReady, the switch trays",
    "true, true, /run/nvidia/driver, FabricNotReady, /run/nvidia/driver/var/log/fabricmanager.log",
    "true, false, /run/nvidia/driver, FabricManagerNotRunning, delete that pod",
  })
  void fabricThatIsNotCompletedNamesTheGpuAndWhoSetsItUp(
      boolean hasSwitches, boolean isManaged, String root, String reason, String remedy) {
    var files =
        new DriverFacts.Files(
            root,
            root,
            Optional.of(TestFacts.VERSION),
            true,
            List.of(),
            List.of(),
            ContainerFlags.NOTHING);
    var pending =
        (hasSwitches ? TestFacts.working().withSwitch() : TestFacts.working())
            .with(files)
            .with(TestFacts.fabricManager(isManaged))
            .with(Nodes.of(hopper(0, IN_PROGRESS), hopper(1, IN_PROGRESS)));

    assertThat(reasons(pending)).containsExactly(reason);
    assertThat(message(pending))
        .contains(
            "0000:00:00.0 in progress, 0000:01:00.0 in progress",
            "error 802, system not yet initialized",
            remedy);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFabricThatSomeGpusHaveJoinedIsNoMatterOfTheNode(boolean isManaged) {
    var one =
        TestFacts.working()
            .withSwitch()
            .with(TestFacts.fabricManager(isManaged))
            .with(Nodes.of(hopper(0, IN_PROGRESS), hopper(1, done())));

    assertThat(reasons(one)).isEmpty();
  }

  @Test
  void switchesOfAnA100NeedTheProcess() {
    var facts = TestFacts.working().withSwitch();

    assertThat(reasons(facts)).containsExactly("FabricManagerNotRunning");
    assertThat(reasons(facts.with(TestFacts.fabricManager(true)))).isEmpty();
    assertThat(reasons(facts.with(Nodes.of(hopper(0, done()))))).isEmpty();
  }

  @Test
  void gpusThatAllFellOffTheBusAreABlockerAndSlowOnesAreNot() {
    assertThat(reasons(TestFacts.working().with(unreadable(false))))
        .containsExactly("GpuNotListed");
    assertThat(message(TestFacts.working().with(unreadable(false))))
        .contains("0000:00:00.0", "the GPU is lost");
    assertThat(reasons(TestFacts.working().with(unreadable(true)))).isEmpty();
  }

  @Test
  void boardsOfAClassThatTheDriverDoesNotBindAreNamed() {
    var unloaded = TestFacts.unloaded().asAccelerators();
    var loaded = TestFacts.working().with(Nodes.withGpus(0)).asAccelerators();

    assertThat(reasons(unloaded)).containsExactly("ModuleNotLoaded");
    assertThat(message(unloaded)).contains("0000:00:00.0 0x1200, 0000:01:00.0 0x1200");
    assertThat(reasons(loaded)).containsExactly("GpuNotListed");
    assertThat(message(loaded)).contains("0000:00:00.0 0x1200, 0000:01:00.0 0x1200");
    assertThat(message(TestFacts.unloaded())).doesNotContain("PCI class");
  }

  private static Inventory unreadable(boolean isPending) {
    var lost = new UnreadableGpu(0, "nvmlDeviceGetName: the GPU is lost", true, isPending);
    return new Inventory(Nodes.of().driver(), List.of(), List.of(lost), Topology.UNKNOWN);
  }

  private static Gpu hopper(int index, Fabric fabric) {
    Gpu gpu = Nodes.gpu(index, new Mig.NotCapable());
    var board = new Board("NVIDIA H100 80GB HBM3", 80L << 30, new ComputeCapability(9, 0));
    return new Gpu(index, index, gpu.uuid(), board, gpu.pci(), gpu.mig(), fabric);
  }

  private static Fabric done() {
    return new Fabric.NotAttached();
  }

  private static DriverFacts.Kernel secureBoot(List<String> refusals) {
    return new DriverFacts.Kernel(Set.of(), Optional.empty(), false, true, refusals, false);
  }

  private static List<String> reasons(TestFacts facts) {
    return DriverBlockers.of(facts.driver()).stream().map(Blocker::reason).toList();
  }

  private static String message(TestFacts facts) {
    return Blocker.message(DriverBlockers.of(facts.driver()));
  }
}
