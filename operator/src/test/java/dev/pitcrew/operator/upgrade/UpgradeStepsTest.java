package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.StepRow.row;
import static dev.pitcrew.operator.upgrade.UpgradeState.CORDON_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.DONE;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UNCORDON_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Nodes on which nothing is being done: whether they ask for a driver, and when those that failed
/// do again.
class UpgradeStepsTest {
  @ParameterizedTest
  @MethodSource({"settled", "failed"})
  void aStateLeadsTo(StepRow row) {
    row.verify();
  }

  static Stream<StepRow> settled() {
    return Stream.of(
        row("the driver that is wanted", node().newDriver(Start.READY), DONE),
        row("another driver", node(), UPGRADE_REQUIRED),
        row("done, and another driver", node().in(DONE), UPGRADE_REQUIRED),
        row(
            "done, and asked for all the same",
            node().in(DONE).newDriver(Start.READY).noting(UpgradeMarks.REQUESTED, "true"),
            UPGRADE_REQUIRED),
        row(
            "done, and a driver that waits for a safe load",
            node().in(DONE).newDriver(Start.STARTING).noting(UpgradeMarks.SAFE_LOAD, "abc"),
            UPGRADE_REQUIRED),
        row(
            "cordoned by us, and the label gone",
            node().newDriver(Start.READY).cordoned(),
            POD_RESTART_REQUIRED),
        row(
            "cordoned by us, the label gone, and the former driver",
            node().cordoned(),
            CORDON_REQUIRED),
        row(
            "cordoned by us, the label gone, and no driver pod",
            node().noDriver().cordoned(),
            POD_RESTART_REQUIRED),
        row(
            "failed, and the label gone",
            node()
                .cordoned()
                .newDriver(Start.CRASHING)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            FAILED),
        row(
            "the same, and another owner had cordoned it before",
            node()
                .cordonedByOthers()
                .newDriver(Start.CRASHING)
                .noting(UpgradeMarks.WAS_UNSCHEDULABLE, "true")
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            FAILED),
        row(
            "pods would not go, and the label gone",
            node().noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB"),
            UPGRADE_REQUIRED),
        row(
            "failed, waiting for another try, and the label gone",
            node().cordoned().noting(UpgradeMarks.FAILURE, "DRIVER 3 crashed"),
            FAILED),
        row("no driver pod", node().in(DONE).noDriver(), DONE),
        row("waiting in vain", node().in(UPGRADE_REQUIRED).newDriver(Start.READY), DONE),
        row(
            "waiting, and the wanted driver waits for its pods",
            node().in(UPGRADE_REQUIRED).newDriver(Start.STARTING),
            UPGRADE_REQUIRED));
  }

  static Stream<StepRow> failed() {
    return Stream.of(
        row(
            "the reference's failure, of which nothing is known",
            node().in(FAILED),
            UPGRADE_REQUIRED),
        row(
            "pods would not go, a moment ago",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
                .since(Duration.ofMinutes(9)),
            FAILED,
            "PDB"),
        row(
            "pods would not go, ten minutes ago",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
                .since(Duration.ofMinutes(10)),
            UPGRADE_REQUIRED),
        row("others left in vain twice, not long ago", left(2, 19), FAILED, "PDB"),
        row("others left in vain twice", left(2, 20), UPGRADE_REQUIRED),
        row("others left in vain thrice, not long ago", left(3, 39), FAILED, "PDB"),
        row("others left in vain all the time, not long ago", left(999, 119), FAILED, "PDB"),
        row("others left in vain all the time", left(999, 120), UPGRADE_REQUIRED),
        row(
            "the driver that failed is still wanted",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed")
                .since(Duration.ofDays(1)),
            FAILED,
            "crashed"),
        row(
            "another driver is wanted by now",
            node().in(FAILED).noting(UpgradeMarks.FAILURE, "DRIVER 3 crashed"),
            UPGRADE_REQUIRED),
        row(
            "the driver has come up after all",
            node()
                .in(FAILED)
                .cordoned()
                .newDriver(Start.READY)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            UNCORDON_REQUIRED));
  }

  @ParameterizedTest
  @CsvSource({
    // state before and after, whether it waits for no plan of the fleet, whether its pods have to
    // be known
    "DONE, UPGRADE_REQUIRED, false, false",
    "UPGRADE_REQUIRED, CORDON_REQUIRED, false, false",
    "UPGRADE_REQUIRED, WAIT_FOR_JOBS_REQUIRED, false, true",
    "CORDON_REQUIRED, CORDON_REQUIRED, true, false",
    "POD_DELETION_REQUIRED, POD_DELETION_REQUIRED, true, true",
    "DRAIN_REQUIRED, FAILED, true, true",
    "VALIDATION_REQUIRED, UNCORDON_REQUIRED, true, false"
  })
  void nodeUnderWay_continuesAlone_andNeedsItsPodsWhileTheyAreEvicted(
      UpgradeState before, UpgradeState after, boolean goesOn, boolean isEmptied) {
    UpgradeNode node = node().in(before).observed();
    var upgrade = new NodeUpgrade(node, node.in(after, NOW), List.of(), Waiting.NONE);

    assertThat(upgrade.continuesAlone()).isEqualTo(goesOn);
    assertThat(upgrade.isEmptied()).isEqualTo(isEmptied);
  }

  @Test
  void aNodeThatOnlyHasSomethingToSayIsIdle() {
    UpgradeNode node = node().in(UPGRADE_REQUIRED).observed();
    var delete = new Effect.DeleteDriver(Given.name("driver"));
    Waiting waiting = Waiting.of("the roll-out is paused", "");

    assertThat(new NodeUpgrade(node, node, List.of(), waiting).isIdle()).isTrue();
    assertThat(new NodeUpgrade(node, node, List.of(delete), waiting).isIdle()).isFalse();
    assertThat(new NodeUpgrade(node, node.cordoned(), List.of(), waiting).isIdle()).isFalse();
  }

  /// Given back so often, the last time so many minutes ago.
  private static Given left(int tries, int minutes) {
    return node()
        .in(FAILED)
        .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
        .noting(UpgradeMarks.TRIES, Integer.toString(tries))
        .since(Duration.ofMinutes(minutes));
  }
}
