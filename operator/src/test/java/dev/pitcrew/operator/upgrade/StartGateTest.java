// Long because the three tables of gates, canaries and waves are one order.
package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.GateRow.ALL;
import static dev.pitcrew.operator.upgrade.GateRow.ONE;
import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.asks;
import static dev.pitcrew.operator.upgrade.Given.done;
import static dev.pitcrew.operator.upgrade.Given.failed;
import static dev.pitcrew.operator.upgrade.Given.joined;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.Given.restarted;
import static dev.pitcrew.operator.upgrade.Given.underWay;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who of the nodes `a`, `b`, ... that want the new driver begins, and what the others report.
class StartGateTest {
  private static final String WAVES =
      "{waves: [{name: staging, nodeSelector: {env: staging}, soakSeconds: 600}, {name: prod, nodeSelector: {env: prod}, soakSeconds: 600}]}";

  @ParameterizedTest
  @MethodSource({"gates", "canaries", "waves"})
  void gate_decidesWhichNodesBegin(GateRow row) {
    row.verify();
  }

  static Stream<GateRow> gates() {
    return Stream.of(
        new GateRow(
            "a node that is to be skipped",
            ONE,
            "",
            List.of(asks("a").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"), asks("b")),
            "b",
            "gpu-driver-upgrade.skip is true"),
        new GateRow("paused", ALL, "{paused: true}", List.of(asks("a")), "", "is paused"),
        new GateRow(
            "one failed with the new driver",
            ALL,
            "{paused: false}",
            List.of(failed("a"), asks("b")),
            "",
            "the roll-out is halted: node a failed: crashed"),
        new GateRow(
            "the same, and no halt for it",
            ALL,
            "{haltOnFailedHealth: false}",
            List.of(failed("a"), asks("b")),
            "b",
            ""),
        new GateRow(
            "the driver was rolled back elsewhere, and this DaemonSet still asks for it",
            ALL,
            "",
            List.of(asks("a").taken(new Rollback("2", "1", "node x failed: crashed")), asks("b")),
            "b",
            "the driver was rolled back: node x failed: crashed"),
        new GateRow(
            "another driver was rolled back",
            ALL,
            "",
            List.of(asks("a").taken(new Rollback("3", "1", "node x failed: crashed"))),
            "a",
            ""),
        new GateRow(
            "pods of one would not go",
            ALL,
            "{paused: false}",
            List.of(
                node("a")
                    .in(FAILED)
                    .since(Duration.ofMinutes(1))
                    .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB"),
                asks("b")),
            "b",
            ""),
        new GateRow(
            "one is unhealthy since it has the new driver",
            ALL,
            "{paused: false}",
            List.of(done("a", 1).unhealthy("Xid 79"), asks("b")),
            "",
            "node a has the new driver and is not well: Xid 79"),
        new GateRow(
            "no window is open on a Sunday",
            ALL,
            "{maintenanceWindows: [{days: [Monday], start: '08:00', durationMinutes: 60}]}",
            List.of(asks("a")),
            "",
            "the next opens at 2026-11-23T08:00:00Z"));
  }

  static Stream<GateRow> canaries() {
    String canary = "{canary: {nodes: 1, soakSeconds: 600}}";
    return Stream.of(
        new GateRow(
            "the canary begins",
            ALL,
            canary,
            List.of(asks("a"), asks("b")),
            "a",
            "0 done, 1 under way"),
        new GateRow(
            "it is under way", ALL, canary, List.of(underWay("a"), asks("b")), "", "1 under way"),
        new GateRow(
            "it has to stay well",
            ALL,
            canary,
            List.of(done("a", 9), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new GateRow(
            "it has stayed well",
            ALL,
            canary,
            List.of(done("a", 10), asks("b"), asks("c")),
            "b, c",
            ""),
        new GateRow(
            "it has to stay well, and one that failed before is out of service all the while",
            ALL,
            canary,
            List.of(done("a", 9), asks("b"), asks("c").cordoned()),
            "c",
            "1 done, 1 under way, 0 proven"),
        new GateRow(
            "it went away",
            ALL,
            canary,
            List.of(done("a", 60).notReady(), asks("b")),
            "",
            "1 done, 0 under way, 0 proven; node a is not ready: its kubelet is silent"),
        new GateRow(
            "its driver has begun to crash",
            ALL,
            canary,
            List.of(done("a", 60).newDriver(Start.CRASHING), asks("b"), asks("c")),
            "",
            "1 done, 0 under way, 0 proven; node a is "),
        new GateRow(
            "it is not validated any more",
            ALL,
            canary,
            List.of(done("a", 5).notValidated(), asks("b"), asks("c")),
            "",
            "1 done, 0 under way, 0 proven; node a is not validated"),
        new GateRow(
            "it is unhealthy, and no halt for that",
            ALL,
            "{haltOnFailedHealth: false, canary: {nodes: 1, soakSeconds: 600}}",
            List.of(done("a", 5).unhealthy("Xid 79"), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new GateRow(
            "it went away and came back, a moment ago",
            ALL,
            canary,
            List.of(done("a", 60).readyFor(Duration.ofMinutes(9)), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new GateRow(
            "it went away and came back, and was well since",
            ALL,
            canary,
            List.of(done("a", 60).readyFor(Duration.ofMinutes(10)), asks("b")),
            "b",
            ""),
        new GateRow(
            "a node that is not ready is none",
            ALL,
            canary,
            List.of(asks("a").notReady(), asks("b")),
            "b",
            "node a is not ready"),
        new GateRow(
            "a node that joined with the new driver is as good",
            ALL,
            canary,
            List.of(node("a").newDriver(Start.READY), asks("b"), asks("c")),
            "b, c",
            ""),
        new GateRow(
            "one of two has to stay well, and the other went away",
            ALL,
            "{canary: {nodes: 2, soakSeconds: 600}}",
            List.of(done("a", 9), done("b", 60).notReady(), asks("c")),
            "",
            "the canary of 2: 2 done, 0 under way, 0 proven; node b is not ready"),
        new GateRow(
            "a node with the new driver that is skipped proves nothing",
            ALL,
            canary,
            List.of(
                done("a", 60).labelled("nvidia.com/gpu-driver-upgrade.skip", "true"),
                asks("b"),
                asks("c")),
            "b",
            "0 done, 1 under way, 0 proven"),
        new GateRow(
            "one that joined and whose driver does not run is none",
            ALL,
            canary,
            List.of(joined("a").newDriver(Start.CRASHING), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new GateRow(
            "one that joined has to stay well, too",
            ALL,
            canary,
            List.of(joined("a").driverReadyFor(Duration.ofMinutes(9)), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new GateRow(
            "one that has the driver since an unknown time is none",
            ALL,
            canary,
            List.of(joined("a").driverReadySince(Optional.empty()), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new GateRow(
            "one that joined and is not validated is none",
            ALL,
            canary,
            List.of(joined("a").notValidated(), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new GateRow(
            "a node that is skipped is none",
            ALL,
            canary,
            List.of(asks("a").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"), asks("b")),
            "b",
            "skip is true"));
  }

  static Stream<GateRow> waves() {
    String waves = "{waves: [{name: staging, nodeSelector: {env: staging}, soakSeconds: 600}]}";
    return Stream.of(
        new GateRow(
            "the first wave begins",
            ALL,
            waves,
            List.of(asks("a"), asks("b").labelled("env", "staging")),
            "b",
            "wave staging is not through: node b"),
        new GateRow(
            "it has to stay well",
            ALL,
            waves,
            List.of(asks("a"), done("b", 9).labelled("env", "staging")),
            "",
            "done and has to stay well until 2026-11-22T08:01:00Z"),
        new GateRow(
            "the waves go one after another, and those that none selects last",
            ALL,
            WAVES,
            List.of(
                asks("a"), asks("b").labelled("env", "staging"), asks("c").labelled("env", "prod")),
            "b",
            "wave staging is not through: node b is upgrade-required"),
        new GateRow(
            "the second begins when the first is through",
            ALL,
            WAVES,
            List.of(
                asks("a"),
                done("b", 10).labelled("env", "staging"),
                asks("c").labelled("env", "prod")),
            "c",
            "wave prod is not through: node c is upgrade-required"),
        new GateRow(
            "one of a later wave that failed before goes before the first",
            ONE,
            waves,
            List.of(asks("a").labelled("env", "staging"), asks("b").cordoned()),
            "b",
            "1 of at most 1 nodes are under way"),
        new GateRow(
            "failed nodes do not halt the roll-out, and a node of it is still to begin",
            ALL,
            "{haltOnFailedHealth: false, " + waves.substring(1),
            List.of(asks("a"), asks("b").labelled("env", "staging")),
            "b",
            "wave staging is not through: node b"),
        new GateRow(
            "failed nodes do not halt the roll-out, and a node of it is one",
            ALL,
            "{haltOnFailedHealth: false, " + waves.substring(1),
            List.of(asks("a"), failed("b").labelled("env", "staging")),
            "a",
            ""),
        new GateRow(
            "a node of it joined with the driver, and is unhealthy",
            ALL,
            waves,
            List.of(asks("a"), joined("b").unhealthy("Xid 79").labelled("env", "staging")),
            "",
            "wave staging is not through: node b is upgrade-done and not well: Xid 79"),
        new GateRow(
            "one of a later wave that failed before has used up its budget",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            waves,
            List.of(asks("a").cordoned(), asks("b").labelled("env", "staging"), asks("c")),
            "a",
            ""),
        new GateRow(
            "a node of it is not ready",
            ALL,
            waves,
            List.of(asks("a"), done("b", 60).notReady().labelled("env", "staging")),
            "",
            "wave staging is not through: node b is upgrade-done and not ready"),
        new GateRow(
            "a node of it is unhealthy, and no halt for it",
            ALL,
            "{haltOnFailedHealth: false, " + waves.substring(1),
            List.of(asks("a"), done("b", 1).unhealthy("Xid 79").labelled("env", "staging")),
            "a",
            ""),
        new GateRow(
            "a node of it has a driver that does not run",
            ALL,
            waves,
            List.of(asks("a"), joined("b").newDriver(Start.CRASHING).labelled("env", "staging")),
            "",
            "node b is upgrade-done and driver pod gpu-operator/driver-b-0: CrashLoopBackOff"),
        new GateRow(
            "it is through",
            ALL,
            waves,
            List.of(asks("a"), done("b", 10).labelled("env", "staging")),
            "a",
            ""),
        new GateRow(
            "a node that is skipped holds up no wave",
            ALL,
            waves,
            List.of(
                asks("a"),
                asks("b")
                    .labelled("env", "staging")
                    .labelled("nvidia.com/gpu-driver-upgrade.skip", "true")),
            "a",
            "skip is true"));
  }

  /// What a driver pod says while its node is under way, or silent, is not what the wave waits for.
  @Test
  void aWaveThatIsNotThroughNamesTheStateOfItsNode() {
    Given starting = restarted().newDriver(Start.STARTING);

    assertThat(wave(starting).blocker())
        .isEqualTo("wave staging is not through: node gpu-1 is pod-restart-required");
    assertThat(wave(starting.notReady()).blocker())
        .isEqualTo(
            "wave staging is not through: node gpu-1 is pod-restart-required and not ready:"
                + " its kubelet is silent since 2026-11-22T07:59:00Z (NodeStatusUnknown)");
  }

  @Test
  void aNodeThatWaitsForOthersSaysForHowLongAndHowToGoOnWithoutThem() {
    String skip = "to go on without node %s, label it nvidia.com/gpu-driver-upgrade.skip=true";
    String canary = "{canary: {nodes: 1, soakSeconds: 600}}";

    assertThat(wave(restarted()).next())
        .isEqualTo(
            "it begins after that (FleetPolicy spec.rollout.waves); " + skip.formatted("gpu-1"));
    assertThat(waiting(canary, Obstacles.NONE, done("a", 9)).next())
        .isEqualTo(
            "it begins once the canary has been well for 600 seconds (FleetPolicy spec.rollout.canary)");
    assertThat(waiting(canary, Obstacles.NONE, done("a", 60).notReady()).next())
        .endsWith("(FleetPolicy spec.rollout.canary); " + skip.formatted("a"));
  }

  @Test
  void anObstacleOfAllHoldsEveryNodeAndTheFirstOneStays() {
    Obstacles first = Obstacles.NONE.and(Optional.of("no driver pod is known"));

    assertThat(waiting("", first, asks("a")).blocker()).isEqualTo("no driver pod is known");
    assertThat(first.and(Optional.of("another"))).isEqualTo(first);
    assertThat(Obstacles.NONE.and(Optional.empty())).isEqualTo(Obstacles.NONE);
  }

  /// What the last of the nodes waits for, which is of no wave.
  private static Waiting wave(Given first) {
    return waiting(WAVES, Obstacles.NONE, first.labelled("env", "staging"));
  }

  private static Waiting waiting(String rollout, Obstacles obstacles, Given first) {
    return UpgradePlan.of(
            new FleetView(
                List.of(first.observed(), asks("z").observed()),
                Rules.policy(ALL),
                Rules.rollout(rollout),
                obstacles,
                NOW))
        .nodes()
        .getLast()
        .waiting();
  }
}
