package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// What goes wrong on a node passes, and no pod gets what another has.
@WithGpuNode
class FaultsTest {
  private static final String APP = "app";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final GpuNode node;

  FaultsTest(GpuNode node) {
    this.node = node;
    node.offerWhole(Wanted.DEFAULT, GpuNode.GPU, GpuNode.GPUS);
  }

  @Test
  void unhealthyGpu_isWithdrawnUntilTheDriverIsReloaded() {
    node.gpus().xid(3, 79);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);
    try (var pod = ProbePod.create(node.client(), node.pod(GpuNode.GPUS))) {
      pod.await(FaultsTest::isUnschedulable);

      node.gpus().unloadDriver();
      node.awaitAllocatable(GpuNode.GPU, 0);
      node.gpus().loadDriver();

      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(new GpuPod(pod.await(ProbePod::isRunning)).gpus()).hasSize(GpuNode.GPUS);
    }
  }

  @Test
  void lostGpu_isAllocatedToNoPod_untilItIsBack() {
    node.gpus().lose(0);
    node.gpus().xid(1, 31);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);
    try (var rest = node.run(GpuNode.GPUS - 1)) {
      assertThat(rest.gpus()).hasSize(GpuNode.GPUS - 1).doesNotContain("/dev/nvidia0");

      node.gpus().restore(0);

      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(rest.isRunning()).isTrue();
    }
  }

  @Test
  void aNewKubeletKnowsTheGpusAgainAndThePodsKeepTheirs() {
    try (var pod = node.run(1)) {
      List<String> before = pod.gpus();

      node.node().restartKubelet();

      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertOthersGetOthers(before);
      assertThat(pod.isRunning()).isTrue();
    }
  }

  @Test
  void aNewContainerdLeavesThePodsTheirGpus() {
    try (var pod = node.run(1)) {
      List<String> before = pod.gpus();

      node.node().restartContainerd();

      assertOthersGetOthers(before);
      assertThat(pod.isRunning()).isTrue();
      assertThat(pod.gpus()).isEqualTo(before);
    }
  }

  @Test
  void afterARebootTheGpusAreBackAndSoIsWhatAControllerKeeps() {
    ReplicaSet kept = node.client().resource(replicaSet()).create();
    try (var bare = node.run(2)) {
      String before = awaitRunning("");
      node.forget();

      node.node().reboot();
      node.offerWhole(Wanted.DEFAULT, GpuNode.GPU, GpuNode.GPUS);
      awaitRunning(before);
      Pod after = bare.pod().current();
      assertRunsOrIsRefused(after);
    } finally {
      node.client().resource(kept).delete();
      awaitPods(0);
    }
  }

  /// A kubelet that starts admits its pods again: it refuses one that holds GPUs where the plugin
  /// is not back yet, and only a controller makes another one.
  private static void assertRunsOrIsRefused(Pod bare) {
    if (!"Running".equals(bare.getStatus().getPhase())) {
      assertThat(bare.getStatus().getPhase()).isEqualTo("Failed");
      assertThat(bare.getStatus().getReason()).isEqualTo("UnexpectedAdmissionError");
    }
  }

  private void assertOthersGetOthers(List<String> taken) {
    try (var others = node.run(GpuNode.GPUS - 1)) {
      assertThat(others.gpus()).hasSize(GpuNode.GPUS - 1).doesNotContainAnyElementsOf(taken);
    }
  }

  private static boolean isUnschedulable(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
  }

  private ReplicaSet replicaSet() {
    return new ReplicaSetBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("kept")
        .endMetadata()
        .withNewSpec()
        .withReplicas(1)
        .withNewSelector()
        .withMatchLabels(Map.of(APP, "kept"))
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(Map.of(APP, "kept"))
        .endMetadata()
        .withSpec(node.pod(1).pod().getSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  /// Returns the identity of the controller's pod, once it runs.
  ///
  /// @param before one that does not count as long as its container is the first
  private String awaitRunning(String before) {
    return Awaitility.await("the controller's pod")
        .atMost(LIMIT)
        .until(
            () -> pods().stream().filter(pod -> isRunningSince(before, pod)).findFirst(),
            Optional::isPresent)
        .orElseThrow()
        .getMetadata()
        .getUid();
  }

  private static boolean isRunningSince(String before, Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && ProbePod.isRunning(pod)
        && (!pod.getMetadata().getUid().equals(before)
            || ProbePod.containerOf(pod).getRestartCount() > 0);
  }

  private void awaitPods(int count) {
    Awaitility.await("the controller's pods").atMost(LIMIT).until(() -> pods().size() == count);
  }

  private List<Pod> pods() {
    return node.client().pods().inNamespace("default").withLabel(APP, "kept").list().getItems();
  }
}
