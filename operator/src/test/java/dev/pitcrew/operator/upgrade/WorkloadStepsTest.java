package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.draining;
import static dev.pitcrew.operator.upgrade.Given.emptied;
import static dev.pitcrew.operator.upgrade.Given.waitingForJobs;
import static dev.pitcrew.operator.upgrade.GivenPod.job;
import static dev.pitcrew.operator.upgrade.GivenPod.train;
import static dev.pitcrew.operator.upgrade.StepRow.DEFAULTS;
import static dev.pitcrew.operator.upgrade.StepRow.row;
import static dev.pitcrew.operator.upgrade.UpgradeState.DRAIN_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.FAILED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_DELETION_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.POD_RESTART_REQUIRED;
import static dev.pitcrew.operator.upgrade.UpgradeState.WAIT_FOR_JOBS_REQUIRED;

import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// How a node gets free of pods: who is waited for, who is evicted, and what keeps a pod there.
class WorkloadStepsTest {
  private static final String FORCED =
      "{autoUpgrade: true, podDeletion: {force: true, deleteEmptyDir: true}}";
  private static final String DRAIN = "{autoUpgrade: true, drain: {enable: true}}";
  private static final String JOBS =
      "{autoUpgrade: true, waitForCompletion: {podSelector: 'job=yes', timeoutSeconds: 600}}";
  private static final String BUDGET = "pod team/train: PDB y allows 0 disruptions";

  @ParameterizedTest
  @MethodSource({"jobs", "deletion", "back", "drain"})
  void aStateLeadsTo(StepRow row) {
    row.verify();
  }

  static Stream<StepRow> jobs() {
    return Stream.of(
        row("no job is waited for", waitingForJobs().unlisted(), POD_DELETION_REQUIRED),
        row(
            "the pods are not known",
            waitingForJobs().unlisted(),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "are being listed"),
        row("no job runs", waitingForJobs().gpuPod(Owner.CONTROLLER), JOBS, POD_DELETION_REQUIRED),
        row(
            "a job runs",
            waitingForJobs().pod(job()),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "pod team/job is still running"),
        row(
            "a job runs too long",
            waitingForJobs().pod(job()).noting(UpgradeMarks.JOBS_SINCE, Duration.ofMinutes(10)),
            JOBS,
            POD_DELETION_REQUIRED),
        row(
            "a job runs, and the driver that the node has is wanted again",
            waitingForJobs().pod(job()).newDriver(Start.READY),
            JOBS,
            POD_RESTART_REQUIRED),
        row(
            "a selector of jobs that cannot be read, for however long",
            waitingForJobs()
                .gpuPod(Owner.CONTROLLER)
                .noting(UpgradeMarks.JOBS_SINCE, Duration.ofMinutes(10)),
            "{autoUpgrade: true, waitForCompletion: {podSelector: 'job in (', timeoutSeconds: 600}}",
            WAIT_FOR_JOBS_REQUIRED,
            "upgradePolicy.waitForCompletion.podSelector: label selector"),
        row(
            "a job runs for less than that",
            waitingForJobs().pod(job()).noting(UpgradeMarks.JOBS_SINCE, Duration.ofSeconds(599)),
            JOBS,
            WAIT_FOR_JOBS_REQUIRED,
            "pod team/job is still running"));
  }

  static Stream<StepRow> deletion() {
    return Stream.of(
        row("no pod holds a GPU", emptied(), POD_RESTART_REQUIRED),
        row(
            "the pods are not known",
            emptied().unlisted(),
            POD_DELETION_REQUIRED,
            "are being listed"),
        evicts("a pod of a controller", emptied().gpuPod(Owner.CONTROLLER), DEFAULTS),
        evicts("a pod without an owner, by force", emptied().gpuPod(Owner.NONE), FORCED),
        row(
            "three pods",
            emptied()
                .gpuPod(Owner.CONTROLLER)
                .pod(GivenPod.pod(Given.name("tune")))
                .pod(GivenPod.pod(Given.name("serve"))),
            POD_DELETION_REQUIRED,
            "pod team/train is being evicted, and 2 more",
            "evict train, evict tune, evict serve"),
        row(
            "a pod without an owner",
            emptied().gpuPod(Owner.NONE),
            FAILED,
            "has no controller that would make it again"),
        row(
            "a pod without an owner, and a drain",
            emptied().gpuPod(Owner.NONE),
            DRAIN,
            DRAIN_REQUIRED),
        row(
            "a pod of a DaemonSet, by force too",
            emptied().gpuPod(Owner.DAEMON_SET),
            FORCED,
            FAILED,
            "is of a DaemonSet"),
        row(
            "a pod of the kubelet",
            emptied().gpuPod(Owner.NODE),
            FORCED,
            FAILED,
            "is run by the kubelet"),
        row(
            "a pod with data",
            emptied().pod(train().withData()),
            FAILED,
            "has data in an emptyDir volume"),
        row(
            "a pod that is ending",
            emptied().pod(train().of(Owner.NONE).withData().ending()),
            POD_DELETION_REQUIRED,
            "is being evicted"),
        row(
            "two pods that are ending",
            emptied().pod(train().ending()).pod(job().ending()),
            POD_DELETION_REQUIRED,
            "pod team/train is being evicted, and 1 more"),
        row(
            "a pod that its budget keeps",
            emptied().pod(train().refused(BUDGET)),
            POD_DELETION_REQUIRED,
            "PDB y allows 0 disruptions",
            "evict train"),
        row(
            "the same for too long",
            emptied().pod(train().refused(BUDGET)).asked().since(Duration.ofMinutes(5)),
            FAILED,
            "PDB y allows 0 disruptions"),
        row(
            "a pod that its budget keeps, and the driver that the node has is wanted again",
            emptied().pod(train().refused(BUDGET)).asked().newDriver(Start.READY),
            POD_RESTART_REQUIRED),
        evicts(
            "a driver that does not run, and is wanted",
            emptied().gpuPod(Owner.CONTROLLER).newDriver(Start.CRASHING),
            DEFAULTS),
        evicts(
            "a driver that the node had, and a user asks for again",
            emptied()
                .gpuPod(Owner.CONTROLLER)
                .newDriver(Start.READY)
                .noting(UpgradeMarks.SAME_DRIVER, "true"),
            DEFAULTS),
        evicts(
            "a pod that was not evicted, for however long",
            emptied().gpuPod(Owner.CONTROLLER).since(Duration.ofDays(1)),
            DRAIN));
  }

  static Stream<StepRow> back() {
    Duration twoMinutes = Duration.ofMinutes(2);
    return Stream.of(
        row(
            "a pod that came in spite of the cordon",
            emptied().since(twoMinutes).pod(train().came(Duration.ofMinutes(1))),
            POD_DELETION_REQUIRED,
            "pod team/train came to the node in spite of its cordon"),
        row(
            "the same for too long",
            emptied().asked().since(Duration.ofMinutes(5)).pod(train().came(Duration.ZERO)),
            FAILED,
            "no longer tolerate node.kubernetes.io/unschedulable"),
        evicts(
            "a pod that came before its scheduler saw the cordon",
            emptied().since(twoMinutes).pod(train().came(twoMinutes.minusSeconds(5))),
            DEFAULTS),
        row(
            "a pod that came after that",
            emptied().since(twoMinutes).pod(train().came(twoMinutes.minusSeconds(6))),
            POD_DELETION_REQUIRED,
            "pod team/train came to the node in spite of its cordon"),
        row(
            "a pod without a GPU that came to a drained node",
            draining().since(twoMinutes).pod(train().withoutGpu().came(Duration.ZERO)),
            DRAIN,
            POD_RESTART_REQUIRED));
  }

  static Stream<StepRow> drain() {
    return Stream.of(
        row("nothing left", draining(), DRAIN, POD_RESTART_REQUIRED),
        row("no drain any more", emptied().in(DRAIN_REQUIRED), POD_RESTART_REQUIRED),
        row(
            "a selector of pods that cannot be read, for however long",
            draining().gpuPod(Owner.CONTROLLER).since(Duration.ofDays(1)),
            "{autoUpgrade: true, drain: {enable: true, podSelector: 'app=('}}",
            DRAIN_REQUIRED,
            "upgradePolicy.drain.podSelector: label selector"),
        row(
            "a pod of a controller",
            draining().gpuPod(Owner.CONTROLLER),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted",
            "evict train"),
        row(
            "a pod without a GPU",
            draining().pod(train().withoutGpu()),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted",
            "evict train"),
        row(
            "a DaemonSet's pod without a GPU",
            draining().pod(train().withoutGpu().of(Owner.DAEMON_SET)),
            DRAIN,
            POD_RESTART_REQUIRED),
        row(
            "a pod of a controller, and the driver that the node has is wanted again",
            draining().gpuPod(Owner.CONTROLLER).newDriver(Start.READY),
            DRAIN,
            POD_RESTART_REQUIRED),
        row(
            "a DaemonSet's pod that holds a GPU, and others that would leave in vain",
            draining().gpuPod(Owner.DAEMON_SET).gpuPod(Owner.CONTROLLER),
            DRAIN,
            FAILED,
            "holds a GPU and no drain moves it"),
        row(
            "a DaemonSet's pod that holds a GPU and is ending",
            draining().pod(train().of(Owner.DAEMON_SET).ending()),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted"),
        row(
            "the same for too long",
            draining()
                .pod(train().of(Owner.DAEMON_SET).ending())
                .asked()
                .since(Duration.ofMinutes(5)),
            DRAIN,
            FAILED,
            "has not ended within 300 seconds"),
        row(
            "a pod that was not evicted, for however long",
            draining().gpuPod(Owner.CONTROLLER).since(Duration.ofDays(1)),
            DRAIN,
            DRAIN_REQUIRED,
            "is being evicted",
            "evict train"));
  }

  private static StepRow evicts(String title, Given given, String policy) {
    return row(title, given, policy, POD_DELETION_REQUIRED, "is being evicted", "evict train");
  }
}
