package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.PassthroughDevices;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPUs that claims give to virtual machines.
class PassthroughTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String SECOND = "0a1b2c3d-0000-4000-8000-000000000002";
  private static final String ADDRESS = "0000:1a:00.0";
  private static final String DEVICE = "/sys/bus/pci/devices/" + ADDRESS;
  private static final String BY_FD =
      """
      {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "VfioDeviceConfig",
       "iommu": {"backendPolicy": "PreferIommuFD", "enableAPIDevice": true}}\
      """;

  @TempDir private Path folder;
  private PassthroughNode node;
  private ClaimPreparer preparer;
  private final ClaimObject claim = TestClaim.of(UID, "gpu-vfio-0", "", false);

  @BeforeEach
  void start() throws IOException {
    node = PassthroughNode.of(folder, "h100x2");
    preparer = node.preparer(node::written, _ -> {});
  }

  private void assertRefused(ClaimObject wanted, NodeDevices devices, String... words) {
    var outcome = preparer.prepare(wanted, devices);
    String reason =
        switch (outcome) {
          case PrepareOutcome.Refused(var why) -> why;
          case PrepareOutcome.Failed(var why) -> why;
          case PrepareOutcome.NotReady(var why) -> why;
          case PrepareOutcome.Prepared _ -> "";
        };
    assertThat(reason).contains("team/" + wanted.name()).contains(words);
    assertThat(node.changes()).isEmpty();
  }

  private String file(String uid) throws IOException {
    return Files.readString(
        node.files().cdi().resolve("k8s.gpu.nvidia.com-claim_" + uid + ".yaml"));
  }

  @Test
  void gpuOfAnotherDriverIsLeftThere() throws IOException {
    NodeDevices devices = node.devices(preparer);
    node.pci().bindTo(ADDRESS, "nouveau");

    assertRefused(claim, devices, "request r", "gpu-vfio-0", ADDRESS, "nouveau", "echo");
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.changes()).isEmpty();
    assertThat(node.pci().driverOf(ADDRESS)).contains("nouveau");
  }

  @Test
  void gpuWithAProcessIsNotTaken() throws IOException {
    node.pci().open("/dev/nvidia0");

    assertRefused(claim, node.devices(preparer), "process 4711 (qemu-kvm)", "/dev/nvidia0", "end");
    node.pci().close();
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
  }

  /// One that was opened after the look at the processes.
  @Test
  void gpuThatTheDriverDoesNotLockIsNotTaken() {
    preparer =
        node.preparer(
            (file, text) -> {
              if (!file.endsWith("unbindLock")) {
                node.written(file, text);
              }
            },
            _ -> {});

    assertRefused(claim, node.devices(preparer), "gpu-vfio-0", ADDRESS, "unbindLock", "end such");
  }

  @Test
  void gpuIsNotTakenWhileAnotherPartOfTheAgentChangesGpus() {
    node.driver().take(true);

    assertRefused(claim, node.devices(preparer), "gpu-vfio-0", ADDRESS, "for another reason");
    assertThat(node.driver().isPersistent(ADDRESS)).isTrue();
    node.driver().take(false);
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
  }

  /// Its side stays as it is: a GPU that is gone would begin with the device plugin.
  @Test
  void gpuThatIsBackIsKnownUntilTheDriverListsIt() {
    Inventory before = node.inventory();
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    Inventory meanwhile = node.inventory();
    assertThat(node.listed(preparer)).containsExactly("gpu-1", "gpu-vfio-0", "gpu-vfio-1");
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    PassthroughDevices machines = node.machines();
    machines.look(PassthroughNode.FEATURES, Optional.of(meanwhile), preparer.claims().values());
    assertThat(machines.with(meanwhile).gpus()).containsExactlyInAnyOrderElementsOf(before.gpus());
    assertThat(machines.offer(preparer.claims().values()).isGiven(ADDRESS)).isFalse();
    assertThat(node.listed(preparer)).containsExactly("gpu-0", "gpu-1", "gpu-vfio-0", "gpu-vfio-1");
    assertThat(machines.with(node.inventory())).isEqualTo(before);
  }

  @Test
  void gpuWithVirtualFunctionsIsNotTaken() throws IOException {
    node.pci().text(DEVICE + "/sriov_numvfs", "4\n");

    assertRefused(claim, node.devices(preparer), "4 virtual functions", "sriov_numvfs");
  }

  @Test
  void gpuThatSharesItsGroupWithTheHostIsNotTaken() throws IOException {
    node.pci().device("0000:1c:00.0", "0x020000", "pci:");
    node.pci().bindTo("0000:1c:00.0", "nouveau");
    Files.createDirectories(
        node.pci().root().resolve("sys/kernel/iommu_groups/30/devices/0000:1c:00.0"));

    assertRefused(claim, node.devices(preparer), "0000:1c:00.0", "IOMMU group 30", "ACS");
  }

  @Test
  void gpuIsUsedAsAWholeOrGiven() {
    ClaimObject whole = TestClaim.of(SECOND, "gpu-0", "", false);
    NodeDevices both = node.devices(preparer);
    assertThat(preparer.prepare(whole, both)).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(node.listed(preparer)).containsExactly("gpu-0", "gpu-1", "gpu-vfio-1");
    assertRefused(claim, both, "gpu-vfio-0", "overlaps device gpu-0", SECOND);

    assertThat(preparer.unprepare(SECOND)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(preparer.prepare(claim, both)).isInstanceOf(PrepareOutcome.Prepared.class);
    node.changes();
    assertRefused(whole, both, "gpu-0", "overlaps device gpu-vfio-0", UID);
  }

  @Test
  void administratorsDoNotShareAGpuOfAVirtualMachine() {
    assertRefused(
        TestClaim.of(UID, "gpu-vfio-0", "", true),
        node.devices(preparer),
        "adminAccess",
        "allowed: false");
  }

  @Test
  void gpuThatAVirtualMachineHasOpenStaysGiven() throws IOException {
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    node.changes();
    node.pci().open("/dev/vfio/30");

    assertThat(preparer.unprepare(UID))
        .isInstanceOfSatisfying(
            UnprepareOutcome.Failed.class,
            it ->
                assertThat(it.reason())
                    .contains(UID, "gpu-vfio-0", "/dev/vfio/30", "process 4711 (qemu-kvm)"));
    assertThat(node.changes()).isEmpty();
    node.pci().close();
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.pci().driverOf(ADDRESS)).contains("nvidia");
  }

  @Test
  void containerGetsTheDeviceThatItsSettingsName() throws IOException {
    ClaimObject byFd = TestClaim.of(UID, "gpu-vfio-0", BY_FD, false);
    assertThat(preparer.prepare(byFd, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(file(UID)).as("no IOMMUFD").contains("/dev/vfio/30", "/dev/vfio/vfio");
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    node.pci().text("/dev/iommu", "");
    node.pci().character(ADDRESS, "vfio0");
    ClaimPreparer next = node.preparer(node::written, _ -> {});
    assertThat(next.prepare(byFd, node.devices(next))).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(file(UID))
        .contains("/dev/vfio/devices/vfio0", "/dev/iommu", "NVIDIA_VISIBLE_DEVICES=void")
        .doesNotContain("/dev/vfio/30", "/dev/nvidia");
  }

  /// All that is left of a claim may be its CDI file: its GPU returns all the same.
  @Test
  void damagedCheckpointLosesNoGpu() throws IOException {
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    Files.writeString(node.files().checkpoint(), "{");

    ClaimPreparer next = node.preparer(node::written, _ -> {});
    assertThat(next.recoverGiven()).isEmpty();
    assertThat(node.listed(next)).containsExactly("gpu-1", "gpu-vfio-0", "gpu-vfio-1");
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.pci().driverOf(ADDRESS)).contains("nvidia");
  }

  private PassthroughDevices startedWith(boolean dynamicMig, boolean passthrough) {
    var machines = new PassthroughDevices(new HostRoot(node.pci().root()));
    machines.look(
        new FeatureSwitches(
            true, true, dynamicMig, passthrough, new ConsumableShares.Disabled(), false),
        Optional.of(node.inventory()),
        preparer.claims().values());
    return machines;
  }

  /// The driver does not list the GPU, and this agent has never read it.
  @Test
  void agentThatStartsLaterKnowsTheGpuOfAMachine() {
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);

    PassthroughDevices machines = startedWith(false, true);
    PassthroughDevices.Offer offer = machines.offer(preparer.claims().values());
    assertThat(offer.devices())
        .extracting(ClaimDevice::name)
        .containsExactly("gpu-vfio-0", "gpu-vfio-1");
    assertThat(offer.isGiven(ADDRESS)).isTrue();
    assertThat(offer.isGiven("0000:1b:00.0")).isFalse();
    assertThat(machines.with(node.inventory()).gpus())
        .extracting(gpu -> gpu.pci().address())
        .containsExactly("0000:1b:00.0", ADDRESS);
    assertThat(machines.hasUnread()).as("its side is not to be forgotten").isTrue();

    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    machines.look(
        PassthroughNode.FEATURES, Optional.of(node.inventory()), preparer.claims().values());
    assertThat(machines.hasUnread()).isFalse();
  }

  /// What was given comes back, and no more is given.
  @Test
  void switchedOffOffersOnlyWhatIsGiven() {
    assertThat(startedWith(false, false).devices()).isEmpty();
    assertThat(preparer.prepare(claim, node.devices(preparer)))
        .isInstanceOf(PrepareOutcome.Prepared.class);

    assertThat(startedWith(false, false).devices())
        .extracting(ClaimDevice::name)
        .containsExactly("gpu-vfio-0");
    assertThat(preparer.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.pci().driverOf(ADDRESS)).contains("nvidia");
  }

  @Test
  void gatesThatExcludeEachOtherOfferNone() {
    PassthroughDevices.Offer offer = startedWith(true, true).offer(List.of());

    assertThat(offer.devices()).isEmpty();
    assertThat(offer.problem().orElseThrow())
        .contains("PassthroughSupport", "DynamicMIG", "FleetPolicy spec.dra.featureGates");
  }
}
