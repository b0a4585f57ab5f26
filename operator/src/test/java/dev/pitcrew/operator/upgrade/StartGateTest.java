// Long because one table has a row for each reason to wait.
package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.UpgradeState.DONE;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who of the nodes `a`, `b`, ... that want the new driver begins, and what the others are told.
class StartGateTest {
  private static final String ONE =
      "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 100%}";
  private static final String ALL =
      "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 100%}";

  /// @param begin names of the nodes that begin
  /// @param told words that each of the others that want to begin is told
  record Row(
      String title, String policy, String rollout, List<Given> nodes, String begin, String told) {
    @Override
    public String toString() {
      return title;
    }
  }

  @ParameterizedTest
  @MethodSource({"budgets", "gates", "canaries", "waves"})
  void whoBegins(Row row) {
    List<UpgradeNode> nodes = row.nodes().stream().map(Given::observed).toList();
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                nodes,
                Rules.policy(row.policy()),
                Rules.rollout(row.rollout()),
                Obstacles.NONE,
                NOW));

    assertThat(
            plan.nodes().stream()
                .filter(it -> it.before().state() == UPGRADE_REQUIRED)
                .filter(it -> it.after().state().isUnderWay())
                .map(NodeUpgrade::node)
                .toList()
                .toString())
        .isEqualTo("[" + row.begin() + "]");
    assertThat(plan.nodes())
        .filteredOn(it -> it.after().state() == UPGRADE_REQUIRED)
        .allSatisfy(it -> assertThat(it.waiting().blocker()).contains(row.told()));
  }

  static Stream<Row> budgets() {
    return Stream.of(
        new Row(
            "one at a time",
            ONE,
            "",
            List.of(asks("b"), asks("a")),
            "a",
            "1 of at most 1 nodes are under way"),
        new Row("any number", ALL, "", List.of(asks("a"), asks("b"), asks("c")), "a, b, c", ""),
        new Row(
            "one is under way",
            ONE,
            "",
            List.of(underWay("a"), asks("b")),
            "",
            "1 of at most 1 nodes are under way"),
        new Row(
            "one that failed holds no place, and counts as out of service",
            "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 2}",
            "",
            List.of(failed("a"), asks("b"), asks("c")),
            "b",
            "1 of at most 1 nodes are under way"),
        new Row(
            "two that failed leave no room",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 2}",
            "",
            List.of(failed("a"), failed("b"), asks("c")),
            "",
            "2 of at most 2 nodes are out of service: a (failed), b (failed)"),
        new Row(
            "one that is not ready, whoever cordoned it, counts once",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            "",
            List.of(
                done("a", 1).cordonedByOthers().notReady(),
                asks("b").cordonedByOthers(),
                asks("c")),
            "b",
            "2 of at most 1 nodes are out of service: a (not ready)"),
        new Row(
            "one that is not ready does not begin, and holds no place",
            ONE,
            "",
            List.of(asks("a").notReady(), asks("b")),
            "b",
            "node a is not ready: its kubelet is silent since 2026-11-22T07:59:00Z (NodeStatusUnknown)"),
        new Row(
            "one that is cordoned and not ready counts once",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 2}",
            "",
            List.of(underWay("a").notReady(), asks("b"), asks("c")),
            "b",
            "2 of at most 2 nodes are out of service"),
        new Row(
            "one that is out of service already takes nothing, and goes first",
            "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 1}",
            "",
            List.of(asks("a"), asks("b").cordonedByOthers()),
            "b",
            "1 of at most 1 nodes are out of service"),
        new Row(
            "what is given back counts only once it was seen",
            ONE,
            "",
            List.of(
                node("a").in(UpgradeState.UNCORDON_REQUIRED).cordoned().newDriver(Start.READY),
                asks("b")),
            "",
            "1 of at most 1 nodes are under way"),
        new Row(
            "a label that is gone, and our cordon",
            ONE,
            "",
            List.of(node("a").newDriver(Start.READY).cordoned().notValidated(), asks("b")),
            "",
            "1 of at most 1 nodes are under way"));
  }

  static Stream<Row> gates() {
    return Stream.of(
        new Row(
            "a node that is to be skipped",
            ONE,
            "",
            List.of(asks("a").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"), asks("b")),
            "b",
            "gpu-driver-upgrade.skip is true"),
        new Row("paused", ALL, "{paused: true}", List.of(asks("a")), "", "is paused"),
        new Row(
            "one failed with the new driver",
            ALL,
            "{paused: false}",
            List.of(failed("a"), asks("b")),
            "",
            "the roll-out is halted: node a failed: crashed"),
        new Row(
            "the same, and nobody halts for it",
            ALL,
            "{haltOnFailedHealth: false}",
            List.of(failed("a"), asks("b")),
            "b",
            ""),
        new Row(
            "the driver was taken back elsewhere, and this DaemonSet still asks for it",
            ALL,
            "",
            List.of(asks("a").taken(new Rollback("2", "1", "node x failed: crashed")), asks("b")),
            "b",
            "the driver was taken back: node x failed: crashed"),
        new Row(
            "another driver was taken back",
            ALL,
            "",
            List.of(asks("a").taken(new Rollback("3", "1", "node x failed: crashed"))),
            "a",
            ""),
        new Row(
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
        new Row(
            "one is sick since it has the new driver",
            ALL,
            "{paused: false}",
            List.of(done("a", 1).sick("Xid 79"), asks("b")),
            "",
            "node a has the new driver and is not well: Xid 79"),
        new Row(
            "no window is open on a Sunday",
            ALL,
            "{maintenanceWindows: [{days: [Monday], start: '08:00', durationMinutes: 60}]}",
            List.of(asks("a")),
            "",
            "the next opens at 2026-11-23T08:00:00Z"));
  }

  static Stream<Row> canaries() {
    String canary = "{canary: {nodes: 1, soakSeconds: 600}}";
    return Stream.of(
        new Row(
            "the canary begins",
            ALL,
            canary,
            List.of(asks("a"), asks("b")),
            "a",
            "0 done, 1 under way"),
        new Row(
            "it is under way", ALL, canary, List.of(underWay("a"), asks("b")), "", "1 under way"),
        new Row(
            "it has to stay well",
            ALL,
            canary,
            List.of(done("a", 9), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new Row(
            "it has stayed well",
            ALL,
            canary,
            List.of(done("a", 10), asks("b"), asks("c")),
            "b, c",
            ""),
        new Row(
            "it went away",
            ALL,
            canary,
            List.of(done("a", 60).notReady(), asks("b")),
            "",
            "1 done, 0 under way, 0 proven; node a is not ready: its kubelet is silent"),
        new Row(
            "its driver has begun to crash",
            ALL,
            canary,
            List.of(done("a", 60).newDriver(Start.CRASHING), asks("b"), asks("c")),
            "",
            "1 done, 0 under way, 0 proven; node a is "),
        new Row(
            "it is not validated any more",
            ALL,
            canary,
            List.of(done("a", 5).notValidated(), asks("b"), asks("c")),
            "",
            "1 done, 0 under way, 0 proven; node a is not validated"),
        new Row(
            "it is sick, and nobody halts for that",
            ALL,
            "{haltOnFailedHealth: false, canary: {nodes: 1, soakSeconds: 600}}",
            List.of(done("a", 5).sick("Xid 79"), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new Row(
            "it went away and came back, a moment ago",
            ALL,
            canary,
            List.of(done("a", 60).readyFor(Duration.ofMinutes(9)), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new Row(
            "it went away and came back, and was well since",
            ALL,
            canary,
            List.of(done("a", 60).readyFor(Duration.ofMinutes(10)), asks("b")),
            "b",
            ""),
        new Row(
            "a node that is not ready is none",
            ALL,
            canary,
            List.of(asks("a").notReady(), asks("b")),
            "b",
            "node a is not ready"),
        new Row(
            "a node that joined with the new driver is as good",
            ALL,
            canary,
            List.of(node("a").newDriver(Start.READY), asks("b")),
            "b",
            ""),
        new Row(
            "one that joined and whose driver does not run is none",
            ALL,
            canary,
            List.of(joined("a").newDriver(Start.CRASHING), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new Row(
            "one that joined has to stay well, too",
            ALL,
            canary,
            List.of(joined("a").driverReadyFor(Duration.ofMinutes(9)), asks("b")),
            "",
            "1 done, 0 under way, 0 proven"),
        new Row(
            "one of which nobody knows since when it has the driver is none",
            ALL,
            canary,
            List.of(joined("a").driverReadySince(Optional.empty()), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new Row(
            "one that joined and is not validated is none",
            ALL,
            canary,
            List.of(joined("a").notValidated(), asks("b"), asks("c")),
            "b",
            "0 done, 1 under way"),
        new Row(
            "a node that is skipped is none",
            ALL,
            canary,
            List.of(asks("a").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"), asks("b")),
            "b",
            "skip is true"));
  }

  static Stream<Row> waves() {
    String waves = "{waves: [{name: staging, nodeSelector: {env: staging}, soakSeconds: 600}]}";
    return Stream.of(
        new Row(
            "the first wave begins",
            ALL,
            waves,
            List.of(asks("a"), asks("b").labelled("env", "staging")),
            "b",
            "wave staging is not through: node b"),
        new Row(
            "it has to stay well",
            ALL,
            waves,
            List.of(asks("a"), done("b", 9).labelled("env", "staging")),
            "",
            "done and has to stay well until 2026-11-22T08:01:00Z"),
        new Row(
            "a node of it is not ready",
            ALL,
            waves,
            List.of(asks("a"), done("b", 60).notReady().labelled("env", "staging")),
            "",
            "wave staging is not through: node b is upgrade-done and not ready"),
        new Row(
            "a node of it is sick, and nobody halts for it",
            ALL,
            "{haltOnFailedHealth: false, " + waves.substring(1),
            List.of(asks("a"), done("b", 1).sick("Xid 79").labelled("env", "staging")),
            "a",
            ""),
        new Row(
            "a node of it has a driver that does not run",
            ALL,
            waves,
            List.of(asks("a"), joined("b").newDriver(Start.CRASHING).labelled("env", "staging")),
            "",
            "node b is upgrade-done and driver pod gpu-operator/driver-b-0: CrashLoopBackOff"),
        new Row(
            "it is through",
            ALL,
            waves,
            List.of(asks("a"), done("b", 10).labelled("env", "staging")),
            "a",
            ""),
        new Row(
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

  @ParameterizedTest
  @CsvSource({
    "25%,   4, 1",
    "25%,   5, 2", // a share is rounded up, as the reference does
    "25%,   1, 1",
    "0%,    9, 0",
    "100%,  9, 9",
    "3,     9, 3",
    "400%,  9, 36",
    "999999%, 9, 90000"
  })
  void aShareOfTheNodes(String text, int nodes, int most) {
    assertThat(Budget.most(new IntOrString.Text(text), nodes)).isEqualTo(most);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "many", "25 %", "-5%", "%", "", "99999999999%", "2.5%"})
  void aTextThatIsNoShareLetsNobodyBeginAndIsNamed(String text) {
    UpgradePolicySpec policy =
        Rules.policy("{autoUpgrade: true, maxUnavailable: '%s'}".formatted(text));

    assertThat(Budget.most(new IntOrString.Text(text), 9)).isZero();
    assertThat(new UpgradeScope("", policy).problem())
        .hasValueSatisfying(
            it -> assertThat(it).startsWith("upgradePolicy.maxUnavailable is \"" + text + "\": "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "3", "'3'", "'0%'", "'25%'", "'100%'"})
  void numbersAndSharesAreRead(String value) {
    UpgradePolicySpec policy = Rules.policy("{autoUpgrade: true, maxUnavailable: " + value + "}");

    assertThat(new UpgradeScope("", policy).problem()).isEmpty();
  }

  /// Else another would begin before its cordon is taken back, or though that was refused.
  @ParameterizedTest
  @CsvSource({"1, 1, ''", "1, 2, a", "2, 2, ''", "0, 1, a"})
  void nodesThatLeaveTheFleetUnderOurCordonCountUntilItIsUndone(
      int leaving, int unavailable, String begin) {
    var obstacles =
        new Obstacles(
            Optional.empty(),
            Map.of(),
            IntStream.range(0, leaving).mapToObj(it -> "gone-" + it).toList());
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                List.of(asks("a").observed(), asks("b").observed()),
                Rules.policy(
                    "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: %d}"
                        .formatted(unavailable)),
                Rules.rollout(""),
                obstacles,
                NOW));

    assertThat(
            plan.nodes().stream()
                .filter(it -> it.after().state().isUnderWay())
                .map(NodeUpgrade::node)
                .toList())
        .isEqualTo(begin.isEmpty() ? List.of() : List.of(begin));
    assertThat(plan.nodes())
        .filteredOn(it -> leaving > 0 && it.after().state() == UPGRADE_REQUIRED)
        .allSatisfy(it -> assertThat(it.waiting().blocker()).contains("gone-0 (being given back)"));
  }

  private static Given asks(String name) {
    return node(name).in(UPGRADE_REQUIRED);
  }

  private static Given underWay(String name) {
    return node(name).in(POD_DELETION_REQUIRED).cordoned().unlisted();
  }

  private static Given failed(String name) {
    return node(name)
        .in(FAILED)
        .cordoned()
        .newDriver(Start.CRASHING)
        .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed");
  }

  /// With the new driver from its beginning.
  private static Given joined(String name) {
    return node(name).in(DONE).newDriver(Start.READY);
  }

  private static Given done(String name, int minutes) {
    return node(name).in(DONE).newDriver(Start.READY).since(Duration.ofMinutes(minutes));
  }
}
