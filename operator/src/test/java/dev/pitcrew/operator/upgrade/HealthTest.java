// Long because all that halts a roll-out, or takes a driver back, stands in one place.
package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.UpgradeState.DONE;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What is held against a new driver, and what is not: only the former halts a roll-out, and has
/// the driver rolled back.
class HealthTest {
  /// @param halt words of why no other node begins; empty if they may
  /// @param rollsBack whether the driver is rolled back as well
  record Row(String title, List<Given> nodes, String halt, boolean rollsBack) {
    @Override
    public String toString() {
      return title;
    }
  }

  @ParameterizedTest
  @MethodSource({"unhealthy", "failed"})
  void failedNodes_haltARollOut(Row row) {
    UpgradePlan plan = plan(row.nodes());

    assertThat(plan.halt().orElse("")).contains(row.halt());
    assertThat(plan.halt()).matches(it -> it.isPresent() != row.halt().isEmpty());
    assertThat(plan.rollbacks().containsKey("nvidia-driver-daemonset")).isEqualTo(row.rollsBack());
  }

  static Stream<Row> unhealthy() {
    Duration month = Duration.ofDays(30);
    Given unhealthy = done("a", month).unhealthy("Xid 79");
    return Stream.of(
        new Row("while others wait", List.of(unhealthy, node("b")), "a has the new driver", true),
        new Row(
            "while another is between two driver pods",
            List.of(unhealthy, node("b").in(POD_RESTART_REQUIRED).noDriver().cordoned()),
            "a has the new driver",
            true),
        new Row(
            "while another has failed with its former driver",
            List.of(unhealthy, failed("b", "WORKLOAD 2 PDB")),
            "a has the new driver",
            true),
        new Row("long after all have it", List.of(unhealthy, done("b", month)), "", false),
        new Row(
            "long after, and another joins", List.of(unhealthy, node("b").noDriver()), "", false),
        new Row(
            "long after all but one that is skipped have it",
            List.of(unhealthy, node("b").labelled("nvidia.com/gpu-driver-upgrade.skip", "true")),
            "",
            false),
        new Row(
            "shortly after a user asked, and it had the driver before",
            List.of(
                done("a", Duration.ofSeconds(1))
                    .unhealthy("Xid 79")
                    .noting(UpgradeMarks.SAME_DRIVER, "true"),
                node("b")),
            "",
            false),
        new Row(
            "shortly after all have it",
            List.of(done("a", Duration.ofSeconds(599)).unhealthy("Xid 79"), done("b", month)),
            "a has the new driver",
            false),
        new Row(
            "one of several that have it, while others wait",
            List.of(unhealthy, done("b", month), done("c", month), node("d")),
            "a has the new driver",
            false),
        new Row(
            "two of several that have it, while others wait",
            List.of(unhealthy, done("b", month).unhealthy("Xid 48"), done("c", month), node("d")),
            "a has the new driver",
            true),
        new Row(
            "one, and it works on a node with another DaemonSet",
            List.of(unhealthy, done("b", month).ofDaemonSet("another"), node("d")),
            "a has the new driver",
            true),
        new Row(
            "a soak after all have it",
            List.of(done("a", Duration.ofMinutes(10)).unhealthy("Xid 79"), done("b", month)),
            "",
            false));
  }

  static Stream<Row> failed() {
    return Stream.of(
        new Row(
            "with the new driver", List.of(failed("a", "DRIVER 2 it crashed")), "crashed", true),
        new Row("with another driver", List.of(failed("a", "DRIVER 1 it crashed")), "", false),
        new Row(
            "with the driver that it had before, when a user asked",
            List.of(failed("a", "DRIVER 2 it crashed").noting(UpgradeMarks.SAME_DRIVER, "true")),
            "",
            false),
        new Row("pods would not go", List.of(failed("a", "WORKLOAD 2 PDB")), "", false),
        new Row(
            "with the new driver, whose pod is recreated",
            List.of(failed("a", "DRIVER 2 it crashed").noDriver()),
            "crashed",
            false),
        new Row(
            "the new driver does not come up",
            List.of(restarting().newDriver(Start.STARTING)),
            "not ready yet, 30 minutes after",
            true),
        new Row("the former driver does not end", List.of(restarting().driverEnding()), "", false),
        new Row(
            "the former driver cannot be unloaded",
            List.of(restarting().newDriver(Start.STARTING).managerSays("module is wedged")),
            "",
            false),
        new Row(
            "the same, and its manager was tried too often",
            List.of(restarting().newDriver(Start.CRASHING).managerSays("module is wedged")),
            "",
            false),
        new Row(
            "the same, and its manager was stopped without a word",
            List.of(
                restarting()
                    .newDriver(Start.STARTING)
                    .heldUp(Trouble.Kind.MANAGER_FAILED, "exit code 1")),
            "",
            false),
        new Row(
            "the new driver cannot be started",
            List.of(
                restarting()
                    .newDriver(Start.STARTING)
                    .heldUp(Trouble.Kind.STUCK, "CreateContainerError: no such file")),
            "CreateContainerError: no such file, 30 minutes after",
            true),
        new Row("for itself", List.of(failed("a", "NODE 2 module is wedged")), "", false),
        new Row(
            "without a driver pod",
            List.of(failed("a", "DRIVER - no driver pod").noDriver()),
            "no driver pod",
            false),
        new Row(
            "one of several that have it",
            List.of(failed("a", "DRIVER 2 it crashed"), done("b", Duration.ofDays(1)), node("c")),
            "crashed",
            false),
        new Row(
            "two of several that have it",
            List.of(
                failed("a", "DRIVER 2 it crashed"),
                failed("b", "DRIVER 2 it crashed"),
                done("c", Duration.ofDays(1)),
                node("d")),
            "crashed",
            true),
        new Row(
            "one of several that have it, and one without a driver pod",
            List.of(
                failed("a", "DRIVER 2 it crashed"),
                failed("b", "DRIVER - no driver pod"),
                done("c", Duration.ofDays(1)),
                node("d")),
            "crashed",
            false),
        new Row(
            "without a driver pod, and one came late",
            List.of(failed("a", "DRIVER - no driver pod")),
            "no driver pod",
            false));
  }

  /// The driver of the node is gone, and another that begins would come as far.
  @Test
  void aNodeWhoseFormerDriverDoesNotGoStaysCordonedAndSaysWhatToDo() {
    NodeUpgrade failed =
        plan(List.of(restarting().newDriver(Start.STARTING).managerSays("module is wedged")))
            .nodes()
            .getFirst();

    assertThat(failed.after().state()).isEqualTo(FAILED);
    assertThat(failed.after().unschedulable()).isTrue();
    assertThat(failed.waiting().blocker()).startsWith("module is wedged");
    assertThat(failed.waiting().next()).contains("reboot it; the node stays cordoned");
    assertThat(UpgradeMarks.of(failed.after().marks().notes()).failure())
        .hasValueSatisfying(it -> assertThat(it.text()).startsWith("NODE 2 module is wedged"));
  }

  @Test
  void rollback_usesTheDriverOfMostNodesThatAreNotLeftOut() {
    List<Given> nodes =
        List.of(
            failed("a", "DRIVER 2 it crashed"),
            node("b"),
            node("c").oldDriver("0").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"),
            node("d").oldDriver("0").labelled("nvidia.com/gpu-driver-upgrade.skip", "true"));

    assertThat(plan(nodes).rollbacks().values())
        .singleElement()
        .satisfies(it -> assertThat(it.kept()).isEqualTo("1"));
  }

  @Test
  void rollback_usesNoDriverOfOtherSystems_norTheWantedOne_norOneWithoutADigest() {
    Duration minute = Duration.ofMinutes(1);
    List<Given> nodes =
        List.of(
            failed("a", "DRIVER 2 it crashed"),
            failed("i", "DRIVER 2 it crashed"),
            node("b"),
            node("c").ofDaemonSet("another").oldDriver("0"),
            node("d").ofDaemonSet("another").oldDriver("0"),
            done("e", minute),
            done("f", minute),
            node("g").oldDriver(""),
            node("h").oldDriver(""));

    assertThat(plan(nodes).rollbacks())
        .hasEntrySatisfying("nvidia-driver-daemonset", it -> assertThat(it.kept()).isEqualTo("1"));
  }

  /// Nodes of another system or kernel have a DaemonSet of their own.
  @Test
  void driverThatFailsBeforeOthersHaveProvedIt_isRolledBackEverywhere() {
    List<Given> nodes =
        List.of(
            failed("a", "DRIVER 2 it crashed"),
            node("b"),
            node("c").ofDaemonSet("other that has begun"),
            node("d")
                .ofDaemonSet("other that has begun")
                .in(POD_RESTART_REQUIRED)
                .newDriver(Start.STARTING),
            node("e").ofDaemonSet("another"),
            node("h")
                .ofDaemonSet("with nodes that all have begun")
                .in(POD_RESTART_REQUIRED)
                .newDriver(Start.STARTING),
            node("f").ofDaemonSet("left out").labelled(NodeLabels.UPGRADE_SKIP, "true"),
            node("g").ofDaemonSet("through").newDriver(Start.READY));

    assertThat(plan(nodes).rollbacks())
        .as("the one that failed is the last, for its failure is forgotten with it")
        .containsExactly(
            Map.entry("another", new Rollback("2", "1", "node a failed: it crashed")),
            Map.entry("other that has begun", new Rollback("2", "1", "node a failed: it crashed")),
            Map.entry(
                "nvidia-driver-daemonset", new Rollback("2", "1", "node a failed: it crashed")));
  }

  @Test
  void aDriverThatCameUpOnOtherSystemsStaysThere() {
    List<Given> nodes =
        List.of(
            failed("a", "DRIVER 2 it crashed"),
            done("b", Duration.ofMinutes(1)).ofDaemonSet("proven"),
            node("c").ofDaemonSet("proven"),
            node("d").ofDaemonSet("joined").newDriver(Start.READY),
            node("e").ofDaemonSet("joined"));

    assertThat(plan(nodes).rollbacks()).containsOnlyKeys("nvidia-driver-daemonset");
  }

  /// As while a user asks for a third driver, and the DaemonSets get it one after another.
  @Test
  void formerDriverThatFailsAsWell_isNotRolledBack() {
    var noted = new Rollback("1", "2", "node x failed");
    List<Given> nodes =
        List.of(failed("a", "DRIVER 2 it crashed").taken(noted), node("b").ofDaemonSet("another"));

    assertThat(plan(nodes).rollbacks()).isEmpty();
  }

  @Test
  void reportedNode_isNotReportedAgain() {
    var noted = new Rollback("2", "1", "node a failed: it crashed");
    List<Given> nodes =
        List.of(failed("a", "DRIVER 2 it crashed"), node("b").ofDaemonSet("another").taken(noted));

    assertThat(plan(nodes).rollbacks())
        .as("the operator was killed in between")
        .containsOnlyKeys("nvidia-driver-daemonset");
  }

  @ParameterizedTest
  @CsvSource({"0, false", "599, false", "600, true", "601, true"})
  void soak_restartsWithADriverPodThatWasDeleted(int seconds, boolean isProven) {
    Given node = done("a", Duration.ofDays(1)).driverReadyFor(Duration.ofSeconds(seconds));

    assertThat(
            new Health(Rules.rollout("{paused: false}"), NOW)
                .soaked(node.observed(), Duration.ofMinutes(10))
                .filter(at -> !at.isAfter(NOW))
                .isPresent())
        .isEqualTo(isProven);
  }

  /// All of it says nothing about a driver that the node had before, unless it gets another
  /// meanwhile or its driver has waited for it to be free.
  @Test
  void aNodeThatIsOnlyAskedForAgainIsNotedUntilItGetsAnotherDriver() {
    var steps = new UpgradeSteps(Rules.policy("{autoUpgrade: true}"), NOW);
    UpgradeNode current = node("a").newDriver(Start.READY).observed();
    UpgradeNode asked = steps.start(current);

    assertThat(asked.marks().sameDriver()).isTrue();
    assertThat(steps.start(node("a").observed()).marks().sameDriver()).isFalse();
    assertThat(
            steps
                .start(
                    node("a")
                        .newDriver(Start.STARTING)
                        .noting(UpgradeMarks.SAFE_LOAD, "abc")
                        .observed())
                .marks()
                .sameDriver())
        .isFalse();
    assertThat(
            steps.step(asked.in(UpgradeState.UNCORDON_REQUIRED, NOW)).node().marks().sameDriver())
        .isTrue();
    assertThat(
            steps
                .step(
                    node("a")
                        .in(UpgradeState.UNCORDON_REQUIRED)
                        .newDriver(Start.READY)
                        .noting(UpgradeMarks.WAS_UNSCHEDULABLE, "true")
                        .noting(UpgradeMarks.SAME_DRIVER, "true")
                        .observed())
                .node()
                .marks()
                .notes())
        .containsOnly(
            Map.entry(UpgradeMarks.SAME_DRIVER, "true"),
            Map.entry(UpgradeMarks.SINCE, NOW.toString()));
    UpgradeNode outdated = restarting().noting(UpgradeMarks.SAME_DRIVER, "true").observed();
    assertThat(steps.step(outdated).node().marks().sameDriver()).isFalse();
  }

  /// Else nodes that wait for nothing else would not be let in when it is over.
  @Test
  void timeEndsTheSuspicion() {
    List<Given> nodes =
        List.of(
            done("a", Duration.ofSeconds(500)).unhealthy("Xid 79"),
            done("c", Duration.ofSeconds(550)),
            node("b")
                .in(UPGRADE_REQUIRED)
                .newDriver(Start.READY)
                .noting(UpgradeMarks.REQUESTED, "true"));

    assertThat(plan(nodes).wake()).contains(NOW.plusSeconds(100));
  }

  @Test
  void aDryRunTakesNothingBack() {
    List<Given> nodes = List.of(failed("a", "DRIVER 2 it crashed"), node("b"));

    assertThat(plan(nodes, "{autoRollback: true, dryRun: true}").rollbacks()).isEmpty();
    assertThat(plan(nodes, "{autoRollback: true}").rollbacks()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, true", "2, 1, false", "2, 2, true", "3, 2, false", "3, 3, true"})
  void aRollOutHaltsOnceSoManyNodesHaveFailed(int limit, int failed, boolean isHalted) {
    Stream<Given> unhealthy =
        IntStream.rangeClosed(1, failed)
            .mapToObj(it -> done("n" + it, Duration.ofMinutes(1)).unhealthy("Xid 79"));
    Stream<Given> others = Stream.of(done("well", Duration.ofDays(30)), node("waits"));
    UpgradePlan plan =
        plan(
            Stream.concat(unhealthy, others).toList(),
            "{autoRollback: true, haltAfterFailedNodes: %d, canary: {nodes: 0, soakSeconds: 600}}"
                .formatted(limit));

    assertThat(plan.halt().isPresent()).isEqualTo(isHalted);
    assertThat(plan.rollbacks().isEmpty()).isEqualTo(!isHalted || failed < 2);
  }

  private static UpgradePlan plan(List<Given> nodes) {
    return plan(nodes, "{autoRollback: true, canary: {nodes: 0, soakSeconds: 600}}");
  }

  private static UpgradePlan plan(List<Given> nodes, String rollout) {
    return UpgradePlan.of(
        new FleetView(
            nodes.stream().map(Given::observed).toList(),
            Rules.policy("{autoUpgrade: true}"),
            Rules.rollout(rollout),
            new Obstacles(Optional.of("no node begins here"), Map.of(), List.of()),
            NOW));
  }

  private static Given done(String name, Duration ago) {
    return node(name).in(DONE).newDriver(Start.READY).since(ago);
  }

  /// At the deadline.
  private static Given restarting() {
    return node("a").in(POD_RESTART_REQUIRED).cordoned().since(DriverSteps.START);
  }

  private static Given failed(String name, String failure) {
    Given node = node(name).in(FAILED).cordoned().noting(UpgradeMarks.FAILURE, failure);
    return (failure.startsWith("WORKLOAD") ? node : node.newDriver(Start.CRASHING))
        .since(Duration.ofMinutes(1));
  }
}
