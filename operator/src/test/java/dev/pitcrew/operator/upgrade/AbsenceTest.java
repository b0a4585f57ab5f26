package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.draining;
import static dev.pitcrew.operator.upgrade.Given.emptied;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.Given.restarted;
import static dev.pitcrew.operator.upgrade.Given.validated;
import static dev.pitcrew.operator.upgrade.Given.waitingForJobs;
import static dev.pitcrew.operator.upgrade.GivenPod.job;
import static dev.pitcrew.operator.upgrade.StepRow.row;
import static dev.pitcrew.operator.upgrade.UpgradeState.DRAIN_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.VALIDATION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.WAIT_FOR_JOBS_REQUIRED;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Nodes whose kubelet is silent: nothing is done to them, and no time is theirs for ever.
class AbsenceTest {
  private static final String DRAIN = "{autoUpgrade: true, drain: {enable: true}}";
  private static final String JOBS =
      "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes', timeoutSeconds: 600}}";

  @ParameterizedTest
  @MethodSource({"absent"})
  void aStateLeadsTo(StepRow row) {
    row.verify();
  }

  static Stream<StepRow> absent() {
    String silent = "node gpu-1 is not ready: its kubelet is silent since 2026-11-22T07:59:00Z";
    Duration timeout = Duration.ofMinutes(15);
    return Stream.of(
        row(
            "silent while a job runs",
            waitingForJobs().pod(job()).notReady(),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            silent),
        row(
            "silent, and a pod to evict",
            emptied().gpuPod(Owner.CONTROLLER).notReady(),
            POD_DELETION_REQUIRED,
            silent),
        row(
            "silent, and a pod to drain",
            draining().gpuPod(Owner.CONTROLLER).notReady(),
            DRAIN,
            DRAIN_REQUIRED,
            silent),
        row(
            "silent for too long, and no deadline of its own",
            waitingForJobs().pod(job()).notReadyFor(timeout).since(Duration.ofDays(1)),
            "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes'}}",
            FAILED,
            "is not ready"),
        row(
            "silent for longer than in its state",
            emptied().notReadyFor(Duration.ofDays(1)).since(timeout.minusSeconds(1)),
            POD_DELETION_REQUIRED,
            "is not ready"),
        row(
            "silent, and the driver that it has is wanted again",
            emptied().gpuPod(Owner.CONTROLLER).newDriver(Start.READY).notReady(),
            POD_DELETION_REQUIRED,
            silent),
        row(
            "silent, and the former driver untouched",
            restarted().notReady(),
            POD_RESTART_REQUIRED,
            silent),
        row(
            "the same for too long",
            restarted().notReadyFor(timeout).since(timeout),
            FAILED,
            "is not ready"),
        row(
            "silent, and the former driver ending",
            restarted().driverEnding().notReady(),
            POD_RESTART_REQUIRED,
            "driver pod gpu-operator/driver-gpu-1-0 cannot end"),
        row(
            "silent, and a new driver that was ready before",
            restarted().newDriver(Start.READY).notReady(),
            POD_RESTART_REQUIRED,
            silent),
        row(
            "silent, and a new driver that crashed before",
            restarted().newDriver(Start.CRASHING).notReady(),
            POD_RESTART_REQUIRED,
            silent),
        row(
            "silent for half an hour with the new driver",
            restarted()
                .newDriver(Start.STARTING)
                .notReadyFor(Duration.ofMinutes(30))
                .since(Duration.ofMinutes(30)),
            FAILED,
            "30 minutes after the former driver pod was deleted"),
        row("silent, and validated before", validated().notReady(), VALIDATION_REQUIRED, silent),
        row(
            "silent for the time of a validation",
            validated().notReady().noting(UpgradeMarks.VALIDATION_SINCE, Duration.ofMinutes(10)),
            FAILED,
            "was not validated: node gpu-1 is not ready"),
        row(
            "failed, silent, and all was well before",
            node()
                .in(FAILED)
                .cordoned()
                .newDriver(Start.READY)
                .notReady()
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            FAILED,
            "crashed"),
        row(
            "back again",
            emptied().gpuPod(Owner.CONTROLLER).readyFor(Duration.ZERO).since(Duration.ofMinutes(9)),
            POD_DELETION_REQUIRED,
            "is being evicted",
            "evict train"),
        row(
            "back again and again",
            emptied()
                .gpuPod(Owner.CONTROLLER)
                .asked()
                .readyFor(Duration.ZERO)
                .since(timeout.plusMinutes(5)),
            FAILED,
            "has not ended within 300 seconds"));
  }
}
