package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.kubelet.podresources.ClaimResource;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.DynamicResource;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pods that hold a GPU without a process on it keep it from being divided.
class MigHoldersTest {
  @TempDir Path folder;
  private MigTestNode divided;

  @BeforeEach
  void makeNode() {
    divided = MigTestNode.create(folder.resolve("node"));
  }

  @AfterEach
  void end() {
    divided.close();
  }

  /// A pod that has a GPU by a claim of the DRA driver and no process yet.
  static PodResources sleeper() {
    return PodResources.newBuilder()
        .setNamespace("team-a")
        .setName("notebook")
        .addContainers(
            ContainerResources.newBuilder()
                .setName("main")
                .addDynamicResources(
                    DynamicResource.newBuilder()
                        .setClaimName("gpu")
                        .setClaimNamespace("team-a")
                        .addClaimResources(
                            ClaimResource.newBuilder()
                                .setDriverName("gpu.nvidia.com")
                                .setPoolName("node-1")
                                .setDeviceName("gpu-0"))))
        .build();
  }

  @Test
  void aPodThatSleepsWithAClaimIsWaitedFor() {
    divided.holdBy(sleeper());
    start();

    divided.awaitPhase(Phase.PENDING, "WaitingForPods");
    assertThat(divided.agent().facts().message())
        .contains(
            "GPU 0 may be held by pod team-a/notebook, which has a GPU by a ResourceClaim",
            "GPU 1 may be held by pod team-a/notebook");
    assertThat(divided.agent().facts().inTheWay())
        .as("no pod is evicted whose GPU may be another one")
        .isEmpty();
    assertThat(divided.node().migDevices()).extracting(it -> it.gpu()).containsExactly(0, 0);

    divided.holdBy();
    divided.awaitPhase(Phase.SUCCESS, "Configured");
  }

  @Test
  void withoutTheKubeletsWordNothingIsDone() throws IOException {
    divided.stopKubelet();
    start();

    divided.awaitPhase(Phase.PENDING, "WaitingForPods");
    assertThat(divided.agent().facts().message())
        .contains(
            "the kubelet does not report which pods hold GPU 0: check that it runs and serves /var/lib/kubelet/pod-resources/kubelet.sock");
    assertThat(divided.node().migDevices()).extracting(it -> it.gpu()).containsExactly(0, 0);

    divided.holdBy();
    divided.awaitPhase(Phase.SUCCESS, "Configured");
  }

  private void start() {
    divided.start(MigLimits.USUAL, MigTestAgent.Order.USUAL);
  }
}
