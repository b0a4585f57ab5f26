package dev.pitcrew.agent.status.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.status.plan.NodeFacts.DriverFacts;
import dev.pitcrew.agent.status.plan.NodeFacts.SharingFacts;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.MigInstance;
import dev.pitcrew.api.node.SharingStrategy;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.sharing.Sharing;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuNodeReportTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00.123Z");
  private static final Instant LATER = NOW.plusSeconds(60);

  @Test
  void readyNodeShowsItsGpus() {
    var status = report(TestNode.well(2));

    assertThat(status.gpuCount()).isEqualTo(2);
    assertThat(status.allocatable()).isEqualTo(2);
    assertThat(status.product()).isEqualTo("A100-SXM4-40GB");
    assertThat(status.health()).isEqualTo(HealthLevel.HEALTHY);
    assertThat(status.gpus())
        .extracting(Gpu::pciAddress)
        .containsExactly("0000:00:00.0", "0000:01:00.0");
    Gpu first = status.gpus().getFirst();
    assertThat(first.uuid()).isEqualTo(Nodes.uuid(0));
    assertThat(first.product()).isEqualTo("NVIDIA A100-SXM4-40GB");
    assertThat(first.memoryMiB()).isEqualTo(40L << 10);
    assertThat(first.health().level()).isEqualTo(HealthLevel.HEALTHY);
    assertThat(status.driver().version()).isEqualTo("550.163.01");
    assertThat(status.driver().phase()).isEqualTo(DriverPhase.READY);
    assertThat(status.driver().owner()).isEqualTo(DriverOwner.HOST);
    assertThat(summary(status))
        .isEqualTo(
            "Discovered=True:GpusFound DriverReady=True:DriverLoaded DevicesAdvertised=True:DevicesAdvertised Healthy=True:GpusHealthy Ready=True:Ready");
    assertThat(message(status, "DevicesAdvertised"))
        .isEqualTo("the kubelet is offered 2 nvidia.com/gpu");
  }

  @Test
  void beforeTheDriverOnlyAddressesAreKnown() {
    var status = report(TestNode.onBus(2));

    assertThat(status.gpuCount()).isEqualTo(2);
    assertThat(status.allocatable()).isEqualTo(0);
    assertThat(status.product()).isNull();
    assertThat(status.health()).isNull();
    assertThat(status.gpus())
        .allSatisfy(gpu -> {
          assertThat(gpu.uuid()).isNull();
          assertThat(gpu.health().isAbsent()).isTrue();
        });
    assertThat(status.driver().phase()).isEqualTo(DriverPhase.ABSENT);
    assertThat(summary(status))
        .isEqualTo(
            "Discovered=True:GpusFound DriverReady=False:DriverNotReady DevicesAdvertised=False:DriverNotReady Healthy=Unknown:DriverNotReady Ready=False:DriverNotReady");
    assertThat(message(status, "Ready")).contains("the driver is not loaded", "nvidia-smi");
  }

  @Test
  void nothingIsSaidThatIsNotKnown() {
    assertThat(summary(report(TestNode.unknown())))
        .isEqualTo(
            "Discovered=Unknown:NotYetKnown DriverReady=Unknown:NotYetKnown DevicesAdvertised=Unknown:NotYetKnown Healthy=Unknown:NotYetKnown Ready=Unknown:NotYetKnown");
  }

  @Test
  void restartedAgentRepeatsWhatWasSaidUntilItKnowsBetter() {
    var before = report(TestNode.well(2));

    assertThat(GpuNodeReport.of(TestNode.unknown().facts(), before, LATER)).isEqualTo(before);
    assertThat(GpuNodeReport.of(TestNode.well(2).facts(), before, LATER)).isEqualTo(before);
  }

  @Test
  void gpuThatIsStillBeingReadIsNotCalledUnhealthy() {
    Inventory one = Nodes.withGpus(1);
    var slow = new UnreadableGpu(1, "reading GPU 1: no answer within the deadline", false, true);
    var inventory = new Inventory(one.driver(), one.gpus(), List.of(slow), one.topology());

    var status = report(TestNode.onBus(2).with(KnownGpus.first(inventory), UnhealthyDevices.NONE));

    assertThat(status.gpus()).hasSize(2);
    assertThat(condition(status, "Healthy").isTrue()).isTrue();
  }

  @Test
  void acceleratorThatNoDriverBindsIsListedAsUnusable() {
    var functions = List.of(TestNode.functions(1).getFirst(), TestNode.accelerator("0000:f0:00.0"));

    var status = report(TestNode.well(1).withPci(functions));

    assertThat(status.gpus()).hasSize(2);
    assertThat(status.gpus().getLast().health().evidence())
        .containsExactly("the driver cannot use it: it is bound to none");
  }

  @Test
  void unloadedDriverLeavesWhatIsKnownOfGpusOnTheBus() {
    var before = report(TestNode.well(2));

    var status = GpuNodeReport.of(TestNode.onBus(1).facts(), before, LATER);

    assertThat(status.gpus()).containsExactly(before.gpus().getFirst());
    assertThat(status.driver().version()).isNull();
  }

  @Test
  void timeOfTransitionStaysWhileTheStatusStays() {
    var before = report(TestNode.onBus(2));

    var status = GpuNodeReport.of(TestNode.well(2).facts(), before, LATER);

    assertThat(condition(status, "Discovered").lastTransitionTime())
        .isEqualTo("2026-11-21T12:00:00Z");
    assertThat(condition(status, "Ready").lastTransitionTime()).isEqualTo("2026-11-21T12:01:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "79, NEEDS_REBOOT, drain and reboot the node",
    "48, NEEDS_RESET, paused-for-reset) and run nvidia-smi --gpu-reset -i 0000:01:00.0",
    "63, DEGRADED, a row of memory was remapped",
    "999, DEGRADED, Xid 999 at 2026-11-21T11:59:00Z"
  })
  void xidNamesTheGpuTheNumberTheTimeAndTheRemedy(long xid, HealthLevel level, String words) {
    var status = report(TestNode.well(2).withUnhealthy(unhealthy(xid)));

    Gpu gpu = status.gpus().get(1);
    assertThat(gpu.health().level()).isEqualTo(level);
    assertThat(gpu.health().since()).isEqualTo("2026-11-21T11:59:00Z");
    assertThat(status.gpus().getFirst().health().level()).isEqualTo(HealthLevel.HEALTHY);
    assertThat(message(status, "Healthy"))
        .contains("GPU 1", Nodes.uuid(1), "0000:01:00.0", "Xid " + xid, "11:59:00Z", words);
    assertThat(condition(status, "DevicesAdvertised").isTrue()).isTrue();
    assertThat(condition(status, "Ready").reason()).isEqualTo("GpuUnhealthy");
  }

  @ParameterizedTest
  @CsvSource({
    "nvmlDeviceGetUUID: the GPU is lost, NEEDS_REBOOT",
    "nvmlDeviceGetUUID: the GPU must be reset, NEEDS_RESET",
    "nvmlDeviceGetUUID: no answer within the deadline, DEGRADED"
  })
  void silentGpu_namesItsRemedy(String reason, HealthLevel level) {
    var silent = new UnhealthyDevices(Map.of(), Map.of(Nodes.uuid(1), reason));

    var health = report(TestNode.well(2).withUnhealthy(silent)).gpus().get(1).health();

    assertThat(health.level()).isEqualTo(level);
    assertThat(health.evidence()).containsExactly("does not answer: " + reason);
  }

  @Test
  void xidOfAMigInstanceNamesItAndTheNewestComesFirst() {
    var inventory = Nodes.of(Nodes.divided(0, 2));
    var unhealthy =
        new UnhealthyDevices(
            Map.of(
                Nodes.migUuid(0, 0), new UnhealthyDevices.Xid(94, NOW.minusSeconds(9)),
                Nodes.migUuid(0, 1), new UnhealthyDevices.Xid(95, NOW)),
            Map.of());

    var gpu = report(TestNode.of(inventory).withUnhealthy(unhealthy)).gpus().getFirst();

    assertThat(gpu.instances())
        .extracting(MigInstance::profile)
        .containsExactly("1g.5gb", "1g.5gb");
    assertThat(gpu.health().level()).isEqualTo(HealthLevel.NEEDS_RESET);
    assertThat(gpu.health().evidence().getFirst()).contains("Xid 95", Nodes.migUuid(0, 1));
    assertThat(gpu.health().evidence()).hasSize(2);
  }

  @Test
  void gpuThatTheDriverDoesNotListIsDegradedUnlessItIsPassedOn() {
    var node =
        TestNode.well(1)
            .withPci(
                List.of(
                    TestNode.function("0000:00:00.0", "nvidia"),
                    TestNode.function("0000:0a:00.0", "nouveau"),
                    TestNode.function("0000:0b:00.0", "vfio-pci")));

    assertThat(report(node).gpus())
        .extracting(gpu -> gpu.health().level())
        .containsExactly(HealthLevel.HEALTHY, HealthLevel.DEGRADED, HealthLevel.HEALTHY);
    assertThat(message(report(node), "Healthy")).contains("GPU 0000:0a:00.0", "nouveau");
  }

  @Test
  void nvlinkPeersAreAddresses() {
    var gpus = Nodes.withGpus(2);
    var link = new Topology.Link(Topology.CommonAncestor.SYSTEM, 12);
    var linked =
        new Inventory(
            gpus.driver(),
            gpus.gpus(),
            List.of(),
            new Topology(
                Map.of(
                    new Topology.Pair(Nodes.uuid(0), Nodes.uuid(1)), link,
                    new Topology.Pair(Nodes.uuid(1), Nodes.uuid(0)), link)));

    assertThat(report(TestNode.of(linked)).gpus().getFirst().nvlinkPeers())
        .containsExactly("0000:01:00.0");
  }

  @Test
  void pausedDriverNamesWhoPausedIt() {
    var node =
        TestNode.onBus(1)
            .withDriver(
                new DriverFacts(
                    Optional.of("/run/nvidia/driver"),
                    Optional.of("nvidia.com/gpu.deploy.device-plugin=paused-for-driver-upgrade"),
                    DriverTraces.NONE))
            .withPlugin(PluginState.PAUSED);

    var status = report(node);

    assertThat(status.driver().phase()).isEqualTo(DriverPhase.PAUSED);
    assertThat(status.driver().owner()).isEqualTo(DriverOwner.CONTAINER);
    assertThat(summary(status))
        .contains("DriverReady=False:Paused", "DevicesAdvertised=False:Paused");
    assertThat(message(status, "DriverReady")).contains("paused-for-driver-upgrade");
  }

  @ParameterizedTest
  @CsvSource({
    // driver root on the host, traces of driver containers, loaded; owner, phase
    "/, NONE, true, HOST, READY",
    "/, NONE, false, HOST, ABSENT",
    "/home/kubernetes/bin/nvidia, NONE, true, HOST, READY",
    "/run/nvidia/driver, NONE, true, CONTAINER, READY",
    "/run/nvidia/driver, ALIVE, true, CONTAINER, READY",
    // a driver container that starts, on a host that has a library, too
    ", ALIVE, false, CONTAINER, LOADING",
    "/, ALIVE, false, CONTAINER, LOADING",
    "/, ALIVE, true, CONTAINER, READY",
    // one that is replaced, with its modules loaded
    "/, LEFT, true, CONTAINER, READY",
    ", LEFT, false, , ABSENT",
    ", NONE, false, , ABSENT",
  })
  void ownerOfTheDriver_isReported(
      String root, DriverTraces containers, boolean loaded, DriverOwner owner, DriverPhase phase) {
    var node =
        (loaded ? TestNode.well(1) : TestNode.onBus(1))
            .withDriver(new DriverFacts(Optional.ofNullable(root), Optional.empty(), containers));

    assertThat(report(node).driver().owner()).isEqualTo(owner);
    assertThat(report(node).driver().phase()).isEqualTo(phase);
  }

  @Test
  void devicePluginOfAnotherOwner_isNotReported() {
    var status = report(TestNode.well(1).withPlugin(PluginState.OFF));

    assertThat(summary(status)).doesNotContain("DevicesAdvertised").endsWith("Ready=True:Ready");
  }

  @Test
  void invalidConfigurationIsNamedWhilePodsStillGetGpus() {
    var status = report(TestNode.well(1).withProblems(invalid(), full()));

    assertThat(summary(status)).contains("DevicesAdvertised=True:DiskFull", "Ready=True:DiskFull");
    assertThat(message(status, "DevicesAdvertised"))
        .contains("no space", "replicas is '0'", "the kubelet is offered 1 nvidia.com/gpu");
  }

  @Test
  void nodeIsNotReadyWhenNoPodCanGetAGpu() {
    var nothing = TestNode.well(1).withOffered(new Allocatable(List.of(), List.of()));
    var unreachable =
        TestNode.well(1)
            .withProblems(
                new NodeProblem(NodeProblem.Cause.KUBELET_UNREACHABLE, "no kubelet.sock"));
    var allUnhealthy =
        TestNode.well(1)
            .withUnhealthy(
                new UnhealthyDevices(
                    Map.of(Nodes.uuid(0), new UnhealthyDevices.Xid(79, NOW)), Map.of()));

    assertThat(summary(report(nothing))).endsWith("Ready=False:NothingToAdvertise");
    assertThat(summary(report(nothing.withProblems(full())))).endsWith("Ready=False:DiskFull");
    assertThat(summary(report(unreachable))).endsWith("Ready=False:KubeletUnreachable");
    assertThat(summary(report(allUnhealthy))).endsWith("Ready=False:NoHealthyDevice");
    assertThat(summary(report(TestNode.unknown().withPci(List.of()).withoutDriver("no library"))))
        .endsWith("Ready=False:NoGpu");
  }

  @Test
  void sharingShowsTheMostSharedResource() {
    var sharing =
        new Sharing(
            Sharing.Strategy.TIME_SLICING,
            List.of(shared("nvidia.com/gpu", 4), shared("nvidia.com/mig-1g.5gb", 2)),
            false);
    var node = TestNode.well(1).withSharing(new SharingFacts(Optional.of("team-a"), sharing));

    var shown = report(node).sharing();

    assertThat(shown.config()).isEqualTo("team-a");
    assertThat(shown.strategy()).isEqualTo(SharingStrategy.TIME_SLICING);
    assertThat(shown.replicas()).isEqualTo(4);
  }

  @Test
  void gpuThatFellOffTheBusIsStillShown() {
    var inventory = Nodes.withGpus(2);
    var known =
        new KnownGpus(inventory, Map.of(Nodes.uuid(1), "nvmlDeviceGetUUID: the GPU is lost"));
    var node =
        TestNode.well(2)
            .with(known, UnhealthyDevices.NONE.seeing(known))
            .withPci(TestNode.functions(1));

    assertThat(report(node).gpus()).hasSize(2);
    assertThat(report(node).gpus().get(1).health().level()).isEqualTo(HealthLevel.NEEDS_REBOOT);
  }

  private static Sharing.SharedResource shared(String name, int replicas) {
    return new Sharing.SharedResource(
        name, Optional.empty(), new Sharing.DeviceSelection.All(), replicas);
  }

  private static NodeProblem invalid() {
    return new NodeProblem(
        NodeProblem.Cause.CONFIGURATION_INVALID,
        "sharing.timeSlicing.resources[0].replicas is '0': write 2 or more");
  }

  private static NodeProblem full() {
    return new NodeProblem(NodeProblem.Cause.DISK_FULL, "/var/run/cdi: no space left: free some");
  }

  private static UnhealthyDevices unhealthy(long xid) {
    return new UnhealthyDevices(
        Map.of(Nodes.uuid(1), new UnhealthyDevices.Xid(xid, Instant.parse("2026-11-21T11:59:00Z"))),
        Map.of());
  }

  private static GpuNodeStatus report(TestNode node) {
    return GpuNodeReport.of(node.facts(), GpuNodeStatus.ABSENT, NOW);
  }

  private static Condition condition(GpuNodeStatus status, String type) {
    return status.conditions().stream()
        .filter(it -> it.type().equals(type))
        .findFirst()
        .orElseThrow();
  }

  private static String message(GpuNodeStatus status, String type) {
    return condition(status, type).message();
  }

  private static String summary(GpuNodeStatus status) {
    return status.conditions().stream()
        .map(it -> "%s=%s:%s".formatted(it.type(), it.status(), it.reason()))
        .collect(Collectors.joining(" "));
  }
}
