package dev.pitcrew.agent.status.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.agent.status.plan.NodeFacts.DriverFacts;
import dev.pitcrew.agent.status.plan.NodeFacts.SharingFacts;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.Sharing;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TransitionsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final TestNode WELL = TestNode.well(2);
  private static final TestNode UNHEALTHY =
      WELL.withUnhealthy(
          new UnhealthyDevices(Map.of(Nodes.uuid(1), new UnhealthyDevices.Xid(79, NOW)), Map.of()));
  private static final NodeProblem INVALID =
      new NodeProblem(NodeProblem.Cause.CONFIGURATION_INVALID, "version is 'v2': write v1");

  @Test
  void goodStateAtFirstSightIsNoEvent() {
    assertThat(Transitions.of(GpuNodeStatus.ABSENT, status(WELL))).isEmpty();
    assertThat(Transitions.of(GpuNodeStatus.ABSENT, status(TestNode.onBus(2)))).isEmpty();
  }

  @Test
  void restartWithoutAChangeIsNoEvent() {
    for (TestNode node : List.of(WELL, UNHEALTHY, WELL.withProblems(INVALID), TestNode.onBus(2))) {
      assertThat(Transitions.of(status(node), status(node))).isEmpty();
      assertThat(then(status(node), TestNode.unknown())).isEmpty();
    }
  }

  @Test
  void badStateAtFirstSight_isReported() {
    assertThat(reasons(GpuNodeStatus.ABSENT, UNHEALTHY)).containsExactly("Warning GpuUnhealthy");
    assertThat(reasons(GpuNodeStatus.ABSENT, WELL.withProblems(INVALID)))
        .containsExactly("Warning ConfigurationInvalid");
  }

  @Test
  void driverComesAndGoes() {
    assertThat(reasons(status(TestNode.onBus(2)), WELL))
        .containsExactly("Normal DriverLoaded", "Normal DevicesAdvertised");
    assertThat(reasons(status(WELL), TestNode.onBus(2))).containsExactly("Warning DriverGone");
  }

  @Test
  void pausedDriverIsNoWarning() {
    var paused =
        TestNode.onBus(2)
            .withDriver(
                new DriverFacts(Optional.of("/"), Optional.of("a label"), DriverTraces.NONE))
            .withPlugin(PluginState.PAUSED);

    assertThat(reasons(status(WELL), paused)).containsExactly("Normal DriverPaused");
  }

  @Test
  void unhealthyGpuIsNamedOnceAndItsRecoveryToo() {
    List<NodeEvent> events = then(status(WELL), UNHEALTHY);

    assertThat(events).hasSize(1);
    assertThat(events.getFirst().note())
        .isEqualTo(
            "GPU 1 (%s, 0000:01:00.0) needs a reboot of the node: Xid 79 (the GPU has fallen off the bus) at 2026-11-21T12:00:00Z; drain and reboot the node"
                .formatted(Nodes.uuid(1)));
    assertThat(then(status(UNHEALTHY), UNHEALTHY)).isEmpty();
    assertThat(reasons(status(UNHEALTHY), WELL)).containsExactly("Normal GpuRecovered");
  }

  @Test
  void fatalErrorOfASwitch_isReportedOnce_andForNoGpu() {
    TestNode fatal = withSwitches(WELL, error(20034, true), error(12028, false));
    TestNode another = withSwitches(UNHEALTHY, error(20034, true), error(10003, true));

    List<NodeEvent> events = then(status(WELL), fatal);
    assertThat(events)
        .extracting(NodeEvent::reason, NodeEvent::note)
        .containsExactly(
            tuple(
                "NVSwitchError",
                "NVSwitch 0000:c1:00.0 reported SXid 20034 (fatal: Link 30, x) at 2026-11-21T12:00:00Z; where jobs that use NVLink fail, drain and reboot the node; see docs/unhealthy-gpu.md#nvswitches"));
    assertThat(then(status(fatal), fatal)).isEmpty();
    assertThat(reasons(status(fatal), another))
        .containsExactly("Warning GpuUnhealthy", "Warning NVSwitchError");
    assertThat(status(fatal).condition(NodeCondition.HEALTHY))
        .hasValueSatisfying(it -> {
          assertThat(it.isTrue()).isTrue();
          assertThat(it.message())
              .startsWith(
                  "nothing speaks against 2 GPUs; NVSwitch 0000:c1:00.0 reported SXid 20034")
              .doesNotContain("12028");
        });
  }

  private static TestNode withSwitches(TestNode node, SwitchError... errors) {
    WithDriver now = node.facts().withDriver().orElseThrow();
    return node.with(
        new WithDriver(
            now.gpus(),
            now.unhealthy(),
            now.silent(),
            new LogNotes(OptionalLong.empty(), List.of(errors))));
  }

  private static SwitchError error(int number, boolean isFatal) {
    return new SwitchError("0000:c1:00.0", number, isFatal, "Link 30; x", NOW);
  }

  @Test
  void unhealthyGpu_staysKnownWhileTheDriverIsAway() {
    var away = GpuNodeReport.of(TestNode.onBus(2).facts(), status(UNHEALTHY), NOW);

    assertThat(Transitions.of(status(UNHEALTHY), away))
        .extracting(NodeEvent::reason)
        .containsExactly("DriverGone");
    assertThat(reasons(away, WELL))
        .containsExactly("Normal DriverLoaded", "Normal GpuRecovered", "Normal DevicesAdvertised");
  }

  @Test
  void mistakeAndItsCorrection_areReported() {
    var invalid = WELL.withProblems(INVALID);
    var other =
        WELL.withProblems(
            new NodeProblem(NodeProblem.Cause.CONFIGURATION_INVALID, "flags is '1': …"));

    assertThat(reasons(status(WELL), invalid)).containsExactly("Warning ConfigurationInvalid");
    assertThat(reasons(status(invalid), other)).containsExactly("Warning ConfigurationInvalid");
    assertThat(reasons(status(invalid), WELL)).containsExactly("Normal ConfigurationApplied");
  }

  @Test
  void fullDisk_isReportedAlsoWithoutADevicePlugin() {
    var full =
        WELL.withPlugin(PluginState.OFF)
            .withProblems(
                new NodeProblem(NodeProblem.Cause.DISK_FULL, "/var/run/cdi: no space left"));

    assertThat(reasons(status(WELL.withPlugin(PluginState.OFF)), full))
        .containsExactly("Warning DiskFull");
  }

  @Test
  void newSharing_isReportedWithItsReplicas() {
    var sharing =
        new Sharing(
            Sharing.Strategy.TIME_SLICING,
            List.of(
                new Sharing.SharedResource(
                    "nvidia.com/gpu", Optional.empty(), new Sharing.DeviceSelection.All(), 4)),
            false);
    var shared =
        WELL.withSharing(new SharingFacts(Optional.of("team-a"), sharing))
            .withUnhealthy(UnhealthyDevices.NONE);

    assertThat(then(status(WELL), shared))
        .extracting(NodeEvent::note)
        .containsExactly(
            "configuration team-a: GPUs are shared by time-slicing, by up to 4 pods",
            "the kubelet is offered 8 nvidia.com/gpu");
  }

  @Test
  void gpuThatIsGoneIsNamed() {
    assertThat(reasons(status(WELL), TestNode.well(1)))
        .containsExactly("Warning GpuGone", "Normal DevicesAdvertised");
  }

  @Test
  void gpusThatComeAndGoAreReported() {
    var none = TestNode.unknown().withPci(List.of()).withoutDriver("no library");

    assertThat(reasons(status(TestNode.onBus(2)), none))
        .containsExactly("Warning GpusGone", "Warning GpuGone", "Warning GpuGone");
    assertThat(reasons(status(none), TestNode.onBus(2))).containsExactly("Normal GpusFound");
  }

  @Test
  void driverThatIsReplacedBetweenTwoLooksIsReported() {
    Inventory gpus = Nodes.withGpus(2);
    var next =
        TestNode.of(
            new Inventory(
                new DriverVersion("570.86.15", 12, 8),
                gpus.gpus(),
                gpus.unreadable(),
                gpus.topology()));

    assertThat(then(status(WELL), next))
        .extracting(NodeEvent::reason, NodeEvent::note)
        .containsExactly(tuple("DriverChanged", "driver 570.86.15 came after 550.163.01"));
  }

  @Test
  void unhealthyGpuIsNamedAgainForOtherEvidence() {
    var other =
        WELL.withUnhealthy(
            new UnhealthyDevices(
                Map.of(Nodes.uuid(1), new UnhealthyDevices.Xid(48, NOW)), Map.of()));
    var sameLevel =
        WELL.withUnhealthy(
            new UnhealthyDevices(
                Map.of(Nodes.uuid(1), new UnhealthyDevices.Xid(95, NOW)), Map.of()));

    assertThat(reasons(status(UNHEALTHY), other)).containsExactly("Warning GpuUnhealthy");
    assertThat(reasons(status(other), sameLevel)).containsExactly("Warning GpuUnhealthy");
  }

  @Test
  void noteFitsIntoAnEvent() {
    assertThat(
            NodeEvent.warning("X", "\uD83D\uDD25".repeat(2000))
                .note()
                .getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThanOrEqualTo(1024);
  }

  private static List<String> reasons(GpuNodeStatus before, TestNode after) {
    return then(before, after).stream()
        .map(event -> event.type().text() + " " + event.reason())
        .toList();
  }

  private static List<NodeEvent> then(GpuNodeStatus before, TestNode after) {
    return Transitions.of(before, GpuNodeReport.of(after.facts(), before, NOW));
  }

  private static GpuNodeStatus status(TestNode node) {
    return GpuNodeReport.of(node.facts(), GpuNodeStatus.ABSENT, NOW);
  }
}
