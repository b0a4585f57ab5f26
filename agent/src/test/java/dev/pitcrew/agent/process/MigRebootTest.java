package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPUs that cannot be reset, on a node that may be rebooted for their MIG mode. The host's
/// `reboot` is a script that writes down that it was called.
class MigRebootTest {
  private static final MigTestAgent.Order MAY_REBOOT =
      new MigTestAgent.Order(
          ", \"env\": [{\"name\": \"WITH_REBOOT\", \"value\": \"true\"}]", Optional.empty());
  private static final String ALWAYS = "1000000";

  @TempDir Path folder;
  private MigTestNode divided;
  private SimulatedNode node;
  private StepClock clock;
  private HostPrograms programs;

  @BeforeEach
  void makeNode() throws IOException {
    divided = MigTestNode.create(folder.resolve("node"));
    node = divided.node();
    clock = divided.clock();
    node.simulate("fail", "reset", "999", ALWAYS);
    programs = new HostPrograms(node.hostRoot());
    programs.play("true");
  }

  @AfterEach
  void end() {
    divided.close();
  }

  @Test
  void theNodeIsRebootedOnceThatIsAnnounced() throws IOException {
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");
    assertThat(divided.agent().facts().message()).contains("were not reset", "WITH_REBOOT");
    assertThat(divided.agent().view().withheld())
        .as("a reboot takes all GPUs from all pods")
        .containsOnlyKeys(node.gpus().stream().map(SimulatedGpu::uuid).toList());
    assertThat(programs.said()).isEmpty();

    divided.agent().announce();
    await().atMost(MigTestNode.LIMIT).until(() -> programs.said().equals(List.of("reboot")));
    divided.stop();
    boot();

    start();
    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertThat(programs.said()).containsExactly("reboot");
    assertThat(memory()).doesNotExist();
    assertThat(clock.journal()).doesNotExist();
    assertThat(node.migDevices()).extracting(it -> it.gpu()).containsExactly(0, 0, 1, 1);
  }

  /// No program receives an announcement while the API server is away.
  @Test
  void announcementThatIsNotReceived_isAwaitedForALimitedTime() {
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");

    divided.pass(MigLimits.USUAL.forReadiness().plusSeconds(1));

    await().atMost(MigTestNode.LIMIT).until(() -> programs.said().equals(List.of("reboot")));
  }

  @Test
  void modeThatARebootDoesNotBring_isRolledBack() {
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");
    divided.agent().announce();
    await().atMost(MigTestNode.LIMIT).until(() -> programs.said().equals(List.of("reboot")));
    divided.stop();
    // The board's mode waits still.
    node.reboot();

    start();
    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message())
        .contains("the GPUs are again divided as before")
        .contains("the node is not rebooted for it: it was rebooted for it already");
    assertThat(divided.agent().view().withheld()).isEmpty();
    assertThat(programs.said()).containsExactly("reboot");
  }

  @Test
  void aHostThatDoesNotGoDownHasItsGpusBack() {
    programs.play("echo 'Failed to talk to init daemon.' >&2; exit 1");
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");
    divided.agent().announce();

    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message())
        .contains("divided as before", "reboot: Failed to talk to init daemon.");
    assertThat(divided.agent().view().withheld()).isEmpty();
  }

  @Test
  void announcedRebootThatDoesNotHappen_leavesTheGpusDividedAsBefore() {
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");
    divided.agent().announce();
    await().atMost(MigTestNode.LIMIT).until(() -> programs.said().equals(List.of("reboot")));

    divided.pass(MigLimits.USUAL.forTheChange().plusSeconds(1));

    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message())
        .contains("divided as before", "it did not go down");
    assertThat(divided.agent().view().withheld()).isEmpty();
  }

  @Test
  void podsOnOtherGpus_areAwaited_andThenTheModeIsRolledBack() throws IOException {
    var held =
        new TestPodResources.Held(
            "team-a",
            "trainer",
            "0b2a4e2e-6f0a-4a3e-9d8d-0c5f9d3c1f12",
            node.gpus().get(MigTestAgent.UNTOUCHED).uuid());
    divided.holdBy(held);
    start();
    divided.awaitPhase(Phase.PENDING, "WaitingForPods");
    assertThat(divided.agent().facts().message()).contains("a GPU is held by pod team-a/trainer");
    assertThat(divided.agent().facts().inTheWay()).hasSize(1);

    divided.pass(MigLimits.USUAL.forPods());
    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message()).contains("divided as before", "team-a/trainer");
    assertThat(programs.said()).isEmpty();
  }

  @Test
  void aPodWithAClaimIsWaitedForToo() {
    start();
    divided.awaitPhase(Phase.REBOOTING, "Rebooting");
    divided.holdBy(MigHoldersTest.sleeper());
    await()
        .atMost(MigTestNode.LIMIT)
        .untilAsserted(() ->
            assertThat(divided.agent().facts().message())
                .contains("a GPU is held by pod team-a/notebook"));

    divided.pass(MigLimits.USUAL.forPods());
    divided.awaitPhase(Phase.FAILED, "Busy");
    assertThat(programs.said()).isEmpty();
  }

  /// Instances go with the power, the mode that was set comes into force.
  private void boot() {
    node.simulate("fail", "reset", "0", "0");
    node.simulate("reset", "all", "--force");
    node.reboot();
  }

  private Path memory() {
    return node.hostRoot().resolve("var/lib/pitcrew/mig-reboot");
  }

  private void start() {
    divided.start(MigLimits.USUAL, MAY_REBOOT);
  }
}
