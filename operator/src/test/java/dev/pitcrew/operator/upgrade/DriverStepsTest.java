package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.Given.restarted;
import static dev.pitcrew.operator.upgrade.Given.validated;
import static dev.pitcrew.operator.upgrade.StepRow.DEFAULTS;
import static dev.pitcrew.operator.upgrade.StepRow.row;
import static dev.pitcrew.operator.upgrade.UpgradeState.DONE;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UNCORDON_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.VALIDATION_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.DriverPod.Trouble;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// From the former driver to the new one: what is waited for, and when it counts as failed.
class DriverStepsTest {
  @ParameterizedTest
  @MethodSource({"restart", "validation"})
  void aStateLeadsTo(StepRow row) {
    row.verify();
  }

  static Stream<StepRow> restart() {
    return Stream.of(
        row(
            "the former driver, and no pod holds a GPU",
            restarted(),
            POD_RESTART_REQUIRED,
            "is of the former driver",
            "delete driver"),
        row(
            "the former driver, and a pod came meanwhile",
            restarted().gpuPod(Owner.CONTROLLER),
            POD_DELETION_REQUIRED),
        row(
            "the former driver is ending",
            restarted().driverEnding(),
            POD_RESTART_REQUIRED,
            "is ending"),
        row("no driver pod", restarted().noDriver(), POD_RESTART_REQUIRED, "has no driver pod"),
        row(
            "the new driver starts",
            restarted().newDriver(Start.STARTING),
            POD_RESTART_REQUIRED,
            "not ready yet"),
        row(
            "the new driver starts for almost half an hour",
            restarted().newDriver(Start.STARTING).since(Duration.ofMinutes(30).minusSeconds(1)),
            POD_RESTART_REQUIRED,
            "not ready yet"),
        row(
            "the new driver starts for half an hour",
            restarted().newDriver(Start.STARTING).since(DriverSteps.START),
            FAILED,
            "30 minutes after the former driver pod was deleted"),
        row(
            "the new driver crashes",
            restarted().newDriver(Start.CRASHING),
            FAILED,
            "was restarted 11 times: CrashLoopBackOff"),
        row(
            "the new driver crashes, and may do so once more",
            restarted().newDriver(Start.CRASHING).restarted(10),
            POD_RESTART_REQUIRED,
            "CrashLoopBackOff"),
        row(
            "the former driver does not end for half an hour",
            restarted().driverEnding().since(DriverSteps.START),
            FAILED,
            "is ending, 30 minutes after"),
        row(
            "the former driver cannot be unloaded",
            restarted().newDriver(Start.STARTING).managerSays("module nvidia is wedged"),
            POD_RESTART_REQUIRED,
            "module nvidia is wedged"),
        row("the new driver is ready", restarted().newDriver(Start.READY), VALIDATION_REQUIRED));
  }

  static Stream<StepRow> validation() {
    return Stream.of(
        row("it works", validated(), UNCORDON_REQUIRED),
        row(
            "it does not work yet",
            validated().notValidated(),
            VALIDATION_REQUIRED,
            "lists no GPU yet"),
        row(
            "it does not work for almost ten minutes",
            validated()
                .notValidated()
                .noting(UpgradeMarks.VALIDATION_SINCE, Duration.ofMinutes(10).minusSeconds(1)),
            VALIDATION_REQUIRED,
            "lists no GPU yet"),
        row(
            "it does not work for ten minutes",
            validated()
                .notValidated()
                .noting(UpgradeMarks.VALIDATION_SINCE, Duration.ofMinutes(10)),
            FAILED,
            "was not validated"),
        row(
            "another driver is wanted by now",
            node().in(VALIDATION_REQUIRED).cordoned(),
            POD_RESTART_REQUIRED),
        row(
            "uncordon required",
            node().in(UNCORDON_REQUIRED).cordoned().newDriver(Start.READY),
            DONE));
  }

  @ParameterizedTest
  @CsvSource({
    // what holds the driver pod up, whether it was kept out of its node, whether a person has to
    // know
    "MANAGER, true, true",
    "MANAGER_FAILED, true, true",
    "MANAGER_AT_WORK, true, false",
    "STUCK, false, true",
    "ON_ITS_WAY, false, false"
  })
  void driverPod_isBlockedByWhatDoesNotEndOnItsOwn(
      Trouble.Kind kind, boolean isKeptOut, boolean isHeldUp) {
    DriverPod pod =
        restarted().newDriver(Start.STARTING).heldUp(kind, "x").observed().driver().orElseThrow();

    assertThat(pod.isKeptOut()).isEqualTo(isKeptOut);
    assertThat(pod.isHeldUp()).isEqualTo(isHeldUp);
  }

  /// As the reference does: else the driver pod would wait for ever once it restarts.
  @ParameterizedTest
  @EnumSource(names = {"POD_RESTART_REQUIRED", "VALIDATION_REQUIRED"})
  void aFreedNodeLoadsItsDriver(UpgradeState state) {
    UpgradeNode freed =
        node()
            .in(state)
            .cordoned()
            .newDriver(Start.READY)
            .notValidated()
            .noting(UpgradeMarks.SAFE_LOAD, "abc")
            .observed();

    assertThat(new UpgradeSteps(Rules.policy(DEFAULTS), NOW).step(freed).node().marks())
        .matches(marks -> !marks.waitsForSafeLoad());
  }
}
