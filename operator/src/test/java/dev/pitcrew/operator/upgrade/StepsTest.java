// Long because one table has a row for each way out of each state.
package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.Given.name;
import static dev.pitcrew.operator.upgrade.Given.node;
import static dev.pitcrew.operator.upgrade.UpgradeState.CORDON_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.DONE;
import static dev.pitcrew.operator.upgrade.UpgradeState.DRAIN_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UNCORDON_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.VALIDATION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.WAIT_FOR_JOBS_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.NodePod.Keeper;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Each state of a node, one step at a time: where it leads, what it waits for, what is done.
class StepsTest {
  private static final String DEFAULTS = "{autoUpgrade: true}";
  private static final String FORCED =
      "{autoUpgrade: true, podDeletion: {force: true, deleteEmptyDir: true}}";
  private static final String DRAIN = "{autoUpgrade: true, drain: {enable: true}}";
  private static final String JOBS =
      "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes', timeoutSeconds: 600}}";

  /// @param blocker words of what it waits for, or of why it failed; empty for nothing
  /// @param effects as text, in their order
  record Row(
      String title,
      Given given,
      String policy,
      UpgradeState expected,
      String blocker,
      String effects) {
    @Override
    public String toString() {
      return title;
    }
  }

  @ParameterizedTest
  @MethodSource({
    "settled",
    "jobs",
    "deletion",
    "back",
    "drain",
    "restart",
    "validation",
    "failed",
    "absent"
  })
  void aStateLeadsTo(Row row) {
    UpgradeNode observed = row.given().observed();
    Move move = new UpgradeSteps(Rules.policy(row.policy()), NOW).step(observed);

    assertThat(move.node().state()).isEqualTo(row.expected());
    assertThat(move.goesOn()).isEqualTo(observed.state() != row.expected());
    assertThat(row.expected() == FAILED && move.goesOn() ? failure(move) : move.waiting().blocker())
        .contains(row.blocker());
    if (row.blocker().isEmpty()) {
      assertThat(move.waiting()).isEqualTo(Waiting.NONE);
    }
    assertThat(move.effects().stream().map(StepsTest::words).toList().toString())
        .isEqualTo("[" + row.effects() + "]");
  }

  static Stream<Row> settled() {
    return Stream.of(
        row("the driver that is wanted", node().newDriver(Start.READY), DEFAULTS, DONE),
        row("another driver", node(), DEFAULTS, UPGRADE_REQUIRED),
        row("done, and another driver", node().in(DONE), DEFAULTS, UPGRADE_REQUIRED),
        row(
            "done, and asked for all the same",
            node().in(DONE).newDriver(Start.READY).noting(UpgradeMarks.REQUESTED, "true"),
            DEFAULTS,
            UPGRADE_REQUIRED),
        row(
            "done, and a driver that waits for a safe load",
            node().in(DONE).newDriver(Start.STARTING).noting(UpgradeMarks.SAFE_LOAD, "abc"),
            DEFAULTS,
            UPGRADE_REQUIRED),
        row(
            "cordoned by us, and the label gone",
            node().newDriver(Start.READY).cordoned(),
            DEFAULTS,
            POD_RESTART_REQUIRED),
        row(
            "cordoned by us, the label gone, and the former driver",
            node().cordoned(),
            DEFAULTS,
            CORDON_REQUIRED),
        row(
            "cordoned by us, the label gone, and no driver pod",
            node().noDriver().cordoned(),
            DEFAULTS,
            POD_RESTART_REQUIRED),
        row(
            "failed, and the label gone",
            node()
                .cordoned()
                .newDriver(Start.CRASHING)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            DEFAULTS,
            FAILED),
        row(
            "failed, waiting for another try, and the label gone",
            node().cordoned().noting(UpgradeMarks.FAILURE, "DRIVER 3 crashed"),
            DEFAULTS,
            FAILED),
        row("no driver pod", node().in(DONE).noDriver(), DEFAULTS, DONE),
        row("waiting in vain", node().in(UPGRADE_REQUIRED).newDriver(Start.READY), DEFAULTS, DONE),
        row(
            "waiting, and the wanted driver waits for its pods",
            node().in(UPGRADE_REQUIRED).newDriver(Start.STARTING),
            DEFAULTS,
            UPGRADE_REQUIRED));
  }

  static Stream<Row> jobs() {
    return Stream.of(
        row("no job is waited for", jobsNode().unlisted(), DEFAULTS, POD_DELETION_REQUIRED),
        row(
            "the pods are not known",
            jobsNode().unlisted(),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "are being listed"),
        row("no job runs", jobsNode().gpuPod(Keeper.CONTROLLER), JOBS, POD_DELETION_REQUIRED),
        row(
            "a job runs",
            jobsNode().pod(job()),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "pod team/job is still running"),
        row(
            "a job runs too long",
            jobsNode().pod(job()).noting(UpgradeMarks.JOBS_SINCE, seconds(600)),
            JOBS,
            POD_DELETION_REQUIRED),
        row(
            "a selector of jobs that cannot be read, for however long",
            jobsNode().gpuPod(Keeper.CONTROLLER).noting(UpgradeMarks.JOBS_SINCE, seconds(600)),
            "{autoUpgrade: true, waitForCompletion: {podSelector: 'job in (', timeoutSeconds: 600}}",
            WAIT_FOR_JOBS_REQUIRED,
            "upgradePolicy.waitForCompletion.podSelector: label selector"),
        row(
            "a job runs for less than that",
            jobsNode().pod(job()).noting(UpgradeMarks.JOBS_SINCE, seconds(599)),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "pod team/job is still running"));
  }

  static Stream<Row> deletion() {
    return Stream.of(
        row("no pod holds a GPU", emptied(), DEFAULTS, POD_RESTART_REQUIRED),
        row(
            "the pods are not known",
            emptied().unlisted(),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "are being listed"),
        evicts("a pod of a controller", emptied().gpuPod(Keeper.CONTROLLER), DEFAULTS),
        evicts("a pod of nobody, by force", emptied().gpuPod(Keeper.NOBODY), FORCED),
        row(
            "a pod of nobody",
            emptied().gpuPod(Keeper.NOBODY),
            DEFAULTS,
            FAILED,
            "has no controller that would make it again"),
        row("a pod of nobody, and a drain", emptied().gpuPod(Keeper.NOBODY), DRAIN, DRAIN_REQUIRED),
        row(
            "a pod of a DaemonSet, by force too",
            emptied().gpuPod(Keeper.DAEMON_SET),
            FORCED,
            FAILED,
            "is of a DaemonSet"),
        row(
            "a pod of the kubelet",
            emptied().gpuPod(Keeper.NODE),
            FORCED,
            FAILED,
            "is run by the kubelet"),
        row(
            "a pod with data",
            emptied().pod(withData()),
            DEFAULTS,
            FAILED,
            "has data in an emptyDir volume"),
        row(
            "a pod that is ending",
            emptied().pod(ending()),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "is being evicted"),
        new Row(
            "a pod that its budget keeps",
            emptied().pod(refused()),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "PDB y allows 0 disruptions",
            "evict train"),
        row(
            "the same for too long",
            emptied().pod(refused()).asked().since(Duration.ofMinutes(5)),
            DEFAULTS,
            FAILED,
            "PDB y allows 0 disruptions"),
        evicts(
            "a pod that nobody has asked to go, for however long",
            emptied().gpuPod(Keeper.CONTROLLER).since(Duration.ofDays(1)),
            DRAIN));
  }

  static Stream<Row> back() {
    Duration twoMinutes = Duration.ofMinutes(2);
    return Stream.of(
        row(
            "a pod that came in spite of the cordon",
            emptied().since(twoMinutes).pod(came(Duration.ofMinutes(1), true)),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "pod team/train came to the node in spite of its cordon"),
        row(
            "the same for too long",
            emptied().asked().since(Duration.ofMinutes(5)).pod(came(Duration.ZERO, true)),
            DEFAULTS,
            FAILED,
            "no longer tolerate node.kubernetes.io/unschedulable"),
        evicts(
            "a pod that came before its scheduler saw the cordon",
            emptied().since(twoMinutes).pod(came(twoMinutes.minusSeconds(5), true)),
            DEFAULTS),
        row(
            "a pod without a GPU that came to a drained node",
            node().in(DRAIN_REQUIRED).cordoned().since(twoMinutes).pod(came(Duration.ZERO, false)),
            DRAIN,
            POD_RESTART_REQUIRED));
  }

  static Stream<Row> drain() {
    Given drained = node().in(DRAIN_REQUIRED).cordoned();
    return Stream.of(
        row("nothing left", drained, DRAIN, POD_RESTART_REQUIRED),
        row("no drain any more", emptied().in(DRAIN_REQUIRED), DEFAULTS, POD_RESTART_REQUIRED),
        row(
            "a selector of pods that cannot be read, for however long",
            node()
                .in(DRAIN_REQUIRED)
                .cordoned()
                .gpuPod(Keeper.CONTROLLER)
                .since(Duration.ofDays(1)),
            "{autoUpgrade: true, drain: {enable: true, podSelector: 'app=('}}",
            DRAIN_REQUIRED,
            "upgradePolicy.drain.podSelector: label selector"),
        new Row(
            "a pod of a controller",
            node().in(DRAIN_REQUIRED).cordoned().gpuPod(Keeper.CONTROLLER),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted",
            "evict train"),
        row(
            "a DaemonSet's pod that holds a GPU, and others that would leave in vain",
            node()
                .in(DRAIN_REQUIRED)
                .cordoned()
                .gpuPod(Keeper.DAEMON_SET)
                .gpuPod(Keeper.CONTROLLER),
            DRAIN,
            FAILED,
            "holds a GPU and no drain moves it"),
        row(
            "a DaemonSet's pod that holds a GPU and is ending",
            node().in(DRAIN_REQUIRED).cordoned().pod(endingForGood()),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted"),
        row(
            "the same for too long",
            node()
                .in(DRAIN_REQUIRED)
                .cordoned()
                .pod(endingForGood())
                .asked()
                .since(Duration.ofMinutes(5)),
            DRAIN,
            FAILED,
            "has not ended within 300 seconds"),
        new Row(
            "a pod that nobody has asked to go, for however long",
            node()
                .in(DRAIN_REQUIRED)
                .cordoned()
                .gpuPod(Keeper.CONTROLLER)
                .since(Duration.ofDays(1)),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted",
            "evict train"));
  }

  static Stream<Row> restart() {
    return Stream.of(
        new Row(
            "the former driver, and nobody holds a GPU",
            restarted(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "is of the former driver",
            "delete driver"),
        row(
            "the former driver, and a pod came meanwhile",
            restarted().gpuPod(Keeper.CONTROLLER),
            DEFAULTS,
            POD_DELETION_REQUIRED),
        row(
            "the former driver is ending",
            restarted().driverEnding(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "is ending"),
        row(
            "no driver pod",
            restarted().noDriver(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "has no driver pod"),
        row(
            "the new driver starts",
            restarted().newDriver(Start.STARTING),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "not ready yet"),
        row(
            "the new driver starts for half an hour",
            restarted().newDriver(Start.STARTING).since(DriverSteps.START),
            DEFAULTS,
            FAILED,
            "30 minutes after the former driver pod was deleted"),
        row(
            "the new driver crashes",
            restarted().newDriver(Start.CRASHING),
            DEFAULTS,
            FAILED,
            "was restarted 11 times"),
        row(
            "the former driver does not end for half an hour",
            restarted().driverEnding().since(DriverSteps.START),
            DEFAULTS,
            FAILED,
            "is ending, 30 minutes after"),
        row(
            "the former driver cannot be unloaded",
            restarted().newDriver(Start.STARTING).managerSays("module nvidia is wedged"),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "module nvidia is wedged"),
        row(
            "the new driver is ready",
            restarted().newDriver(Start.READY),
            DEFAULTS,
            VALIDATION_REQUIRED));
  }

  static Stream<Row> validation() {
    return Stream.of(
        row("it works", validated(), DEFAULTS, UNCORDON_REQUIRED),
        row(
            "it does not work yet",
            validated().notValidated(),
            DEFAULTS,
            VALIDATION_REQUIRED,
            "lists no GPU yet"),
        row(
            "it does not work for ten minutes",
            validated().notValidated().noting(UpgradeMarks.VALIDATION_SINCE, seconds(600)),
            DEFAULTS,
            FAILED,
            "was not validated"),
        row(
            "another driver is wanted by now",
            node().in(VALIDATION_REQUIRED).cordoned(),
            DEFAULTS,
            POD_RESTART_REQUIRED),
        row(
            "uncordon required",
            node().in(UNCORDON_REQUIRED).cordoned().newDriver(Start.READY),
            DEFAULTS,
            DONE));
  }

  static Stream<Row> failed() {
    return Stream.of(
        row(
            "the reference's failure, of which nothing is known",
            node().in(FAILED),
            DEFAULTS,
            UPGRADE_REQUIRED),
        row(
            "pods would not go, a moment ago",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
                .since(Duration.ofMinutes(9)),
            DEFAULTS,
            FAILED,
            "PDB"),
        row(
            "pods would not go, ten minutes ago",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
                .since(Duration.ofMinutes(10)),
            DEFAULTS,
            UPGRADE_REQUIRED),
        row("others left in vain twice, not long ago", left(2, 19), DEFAULTS, FAILED, "PDB"),
        row("others left in vain twice", left(2, 20), DEFAULTS, UPGRADE_REQUIRED),
        row("others left in vain thrice, not long ago", left(3, 39), DEFAULTS, FAILED, "PDB"),
        row("others left in vain all the time", left(999, 120), DEFAULTS, UPGRADE_REQUIRED),
        row(
            "the driver that failed is still wanted",
            node()
                .in(FAILED)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed")
                .since(Duration.ofDays(1)),
            DEFAULTS,
            FAILED,
            "crashed"),
        row(
            "another driver is wanted by now",
            node().in(FAILED).noting(UpgradeMarks.FAILURE, "DRIVER 3 crashed"),
            DEFAULTS,
            UPGRADE_REQUIRED),
        row(
            "the driver has come up after all",
            node()
                .in(FAILED)
                .cordoned()
                .newDriver(Start.READY)
                .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed"),
            DEFAULTS,
            UNCORDON_REQUIRED));
  }

  static Stream<Row> absent() {
    String silent = "node gpu-1 is not ready: its kubelet is silent since 2026-11-22T07:59:00Z";
    Duration patience = Absence.PATIENCE;
    return Stream.of(
        row(
            "silent while a job runs",
            jobsNode().pod(job()).notReady(),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            silent),
        row(
            "silent, and a pod to evict",
            emptied().gpuPod(Keeper.CONTROLLER).notReady(),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            silent),
        row(
            "silent, and a pod to drain",
            node().in(DRAIN_REQUIRED).cordoned().gpuPod(Keeper.CONTROLLER).notReady(),
            DRAIN,
            DRAIN_REQUIRED,
            silent),
        row(
            "silent for too long, and no deadline of its own",
            jobsNode().pod(job()).notReadyFor(patience).since(Duration.ofDays(1)),
            "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes'}}",
            FAILED,
            "is not ready"),
        row(
            "silent for longer than in its state",
            emptied().notReadyFor(Duration.ofDays(1)).since(patience.minusSeconds(1)),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "is not ready"),
        row(
            "silent, and the former driver untouched",
            restarted().notReady(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            silent),
        row(
            "the same for too long",
            restarted().notReadyFor(patience).since(patience),
            DEFAULTS,
            FAILED,
            "is not ready"),
        row(
            "silent, and the former driver ending",
            restarted().driverEnding().notReady(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            "driver pod gpu-operator/driver-gpu-1-0 cannot end"),
        row(
            "silent, and a new driver that was ready before",
            restarted().newDriver(Start.READY).notReady(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            silent),
        row(
            "silent, and a new driver that crashed before",
            restarted().newDriver(Start.CRASHING).notReady(),
            DEFAULTS,
            POD_RESTART_REQUIRED,
            silent),
        row(
            "silent for half an hour with the new driver",
            restarted()
                .newDriver(Start.STARTING)
                .notReadyFor(DriverSteps.START)
                .since(DriverSteps.START),
            DEFAULTS,
            FAILED,
            "30 minutes after the former driver pod was deleted"),
        row(
            "silent, and validated before",
            validated().notReady(),
            DEFAULTS,
            VALIDATION_REQUIRED,
            silent),
        row(
            "silent for the time of a validation",
            validated().notReady().noting(UpgradeMarks.VALIDATION_SINCE, seconds(600)),
            DEFAULTS,
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
            DEFAULTS,
            FAILED,
            "crashed"),
        row(
            "back again",
            emptied()
                .gpuPod(Keeper.CONTROLLER)
                .readyFor(Duration.ZERO)
                .since(Duration.ofMinutes(9)),
            DEFAULTS,
            POD_DELETION_REQUIRED,
            "is being evicted",
            "evict train"),
        row(
            "back again and again",
            emptied()
                .gpuPod(Keeper.CONTROLLER)
                .asked()
                .readyFor(Duration.ZERO)
                .since(patience.plusMinutes(5)),
            DEFAULTS,
            FAILED,
            "has not ended within 300 seconds"));
  }

  /// As the reference does: else the driver pod would wait for ever once it starts anew.
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

  private static Row evicts(String title, Given given, String policy) {
    return new Row(title, given, policy, POD_DELETION_REQUIRED, "is being evicted", "evict train");
  }

  private static Row row(String title, Given given, String policy, UpgradeState expected) {
    return new Row(title, given, policy, expected, "", "");
  }

  private static Row row(
      String title, Given given, String policy, UpgradeState expected, String blocker) {
    return new Row(title, given, policy, expected, blocker, "");
  }

  private static Row row(
      String title,
      Given given,
      String policy,
      UpgradeState expected,
      String blocker,
      String effects) {
    return new Row(title, given, policy, expected, blocker, effects);
  }

  /// Given back so often, the last time so many minutes ago.
  private static Given left(int tries, int minutes) {
    return node()
        .in(FAILED)
        .noting(UpgradeMarks.FAILURE, "WORKLOAD 2 PDB")
        .noting(UpgradeMarks.TRIES, Integer.toString(tries))
        .since(Duration.ofMinutes(minutes));
  }

  private static Given jobsNode() {
    return node().in(WAIT_FOR_JOBS_REQUIRED).cordoned();
  }

  private static Given emptied() {
    return node().in(POD_DELETION_REQUIRED).cordoned();
  }

  private static Given restarted() {
    return node().in(POD_RESTART_REQUIRED).cordoned();
  }

  private static Given validated() {
    return node().in(VALIDATION_REQUIRED).cordoned().newDriver(Start.READY);
  }

  private static NodePod job() {
    return new NodePod(
        name("job"),
        true,
        true,
        true,
        Keeper.CONTROLLER,
        false,
        false,
        Optional.empty(),
        Instant.EPOCH);
  }

  private static NodePod withData() {
    return new NodePod(
        name("train"),
        true,
        false,
        true,
        Keeper.CONTROLLER,
        true,
        false,
        Optional.empty(),
        Instant.EPOCH);
  }

  private static NodePod came(Duration ago, boolean holdsGpu) {
    return new NodePod(
        name("train"),
        holdsGpu,
        false,
        true,
        Keeper.CONTROLLER,
        false,
        false,
        Optional.empty(),
        NOW.minus(ago));
  }

  private static NodePod ending() {
    return new NodePod(
        name("train"),
        true,
        false,
        true,
        Keeper.NOBODY,
        true,
        true,
        Optional.empty(),
        Instant.EPOCH);
  }

  private static NodePod endingForGood() {
    return new NodePod(
        name("train"),
        true,
        false,
        true,
        Keeper.DAEMON_SET,
        false,
        true,
        Optional.empty(),
        Instant.EPOCH);
  }

  private static NodePod refused() {
    return new NodePod(
        name("train"),
        true,
        false,
        true,
        Keeper.CONTROLLER,
        false,
        false,
        Optional.of("pod team/train: PDB y allows 0 disruptions"),
        Instant.EPOCH);
  }

  private static String seconds(long ago) {
    return Long.toString(NOW.minusSeconds(ago).getEpochSecond());
  }

  private static String failure(Move move) {
    return move.node().marks().failure().orElseThrow().message();
  }

  private static String words(Effect effect) {
    return switch (effect) {
      case Effect.Evict(PodName pod) -> "evict " + pod.name();
      case Effect.DeleteDriver _ -> "delete driver";
    };
  }
}
