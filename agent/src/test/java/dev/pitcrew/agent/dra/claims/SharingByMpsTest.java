package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.TestSupervisor.Daemons;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.mps.DaemonFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The MPS control daemon of a claim lives exactly as long as the claim is prepared.
class SharingByMpsTest {
  private static final FeatureSwitches MPS = new FeatureSwitches(false, true, false);
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String GPU = "GPU-01000100-0000-0000-0000-000000000000";
  private static final String LINE = "claims/" + UID + "-60699 50 0=" + GPU + "=10240";
  private static final String EXCLUSIVE = "nvidia-smi -i " + GPU + " -c EXCLUSIVE_PROCESS";
  private static final String DEFAULT = "nvidia-smi -i " + GPU + " -c DEFAULT";

  /// Stands for SIGKILL: nothing of the process runs any more.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final ClaimObject claim = TestClaim.of(UID, "gpu-0", TestClaim.MPS, false);

  @TempDir private Path folder;
  private TestNode node;
  private TestSupervisor supervisor;

  @BeforeEach
  void start() throws IOException {
    node = TestNode.of(folder, "h100x2", List.of());
    supervisor = TestSupervisor.start(node, Daemons.START);
  }

  @AfterEach
  void end() throws IOException {
    supervisor.close();
  }

  private ClaimPreparer preparer() {
    return node.preparer(MPS, (_, _) -> {}, _ -> {});
  }

  private ClaimPreparer killedAfter(Step step) {
    return node.preparer(
        MPS,
        (_, _) -> {},
        done -> {
          if (done == step) {
            throw new Killed();
          }
        });
  }

  private void isPrepared(ClaimPreparer preparer, ClaimObject which) {
    assertThat(preparer.prepare(which, node.devices())).isInstanceOf(PrepareOutcome.Prepared.class);
  }

  private void isUnprepared(ClaimPreparer preparer, String uid) {
    assertThat(preparer.unprepare(uid)).isInstanceOf(UnprepareOutcome.Unprepared.class);
  }

  private void nothingIsLeft(String checkpoint) throws IOException {
    assertThat(supervisor.running()).isEmpty();
    assertThat(node.smiCalls()).last().isEqualTo(DEFAULT);
    assertThat(node.checkpoint()).hasContent(checkpoint);
    assertThat(cdiFiles()).isEmpty();
  }

  private List<String> cdiFiles() throws IOException {
    if (Files.notExists(node.cdi())) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(node.cdi())) {
      return files.map(it -> it.getFileName().toString()).toList();
    }
  }

  private String emptyCheckpoint() throws IOException {
    var _ = preparer();
    return Files.readString(node.checkpoint());
  }

  @Test
  void daemonRunsFromPrepareToUnprepare() throws IOException {
    String before = emptyCheckpoint();
    isPrepared(preparer(), claim);
    assertThat(supervisor.running()).containsExactly(LINE);
    assertThat(node.smiCalls()).containsExactly(EXCLUSIVE);

    isUnprepared(preparer(), UID);
    nothingIsLeft(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "EXCLUSIVE", "DAEMONS_READY", "FILE_WRITTEN", "COMPLETED"})
  void unprepareRollsBackWhatAKilledProcessHasDone(Step step) throws IOException {
    String before = emptyCheckpoint();
    assertThatThrownBy(() -> killedAfter(step).prepare(claim, node.devices()))
        .isInstanceOf(Killed.class);

    isUnprepared(preparer(), UID);

    nothingIsLeft(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "EXCLUSIVE", "DAEMONS_READY", "FILE_WRITTEN", "COMPLETED"})
  void prepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    assertThatThrownBy(() -> killedAfter(step).prepare(claim, node.devices()))
        .isInstanceOf(Killed.class);

    isPrepared(preparer(), claim);

    assertThat(supervisor.running()).containsExactly(LINE);
    assertThat(node.smiCalls()).last().isEqualTo(EXCLUSIVE);
    assertThat(cdiFiles()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "DAEMONS_ENDED", "SHARING_UNDONE", "REMOVED"})
  void unprepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    String before = emptyCheckpoint();
    isPrepared(preparer(), claim);
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    isUnprepared(preparer(), UID);

    nothingIsLeft(before);
  }

  @Test
  void daemonThatDoesNotStart_failsTheClaim_andNothingIsLeft() throws IOException {
    supervisor.close();
    supervisor = TestSupervisor.start(node, Daemons.FAIL);
    var preparer = preparer();

    assertThat(preparer.prepare(claim, node.devices()))
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it -> assertThat(it.reason()).contains("team/c-" + UID, "it ended with exit code 1"));

    assertThat(supervisor.running()).isEmpty();
    assertThat(node.smiCalls()).containsExactly(EXCLUSIVE, DEFAULT);
    assertThat(preparer.claims().values())
        .singleElement()
        .satisfies(left -> assertThat(left.exclusiveGpus()).isEmpty());
    isUnprepared(preparer, UID);
    assertThat(preparer.claims()).isEmpty();
  }

  @Test
  void withoutASupervisor_theClaimFailsWithItsName() throws IOException {
    supervisor.close();

    assertThat(preparer().prepare(claim, node.devices()))
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it ->
                assertThat(it.reason())
                    .contains("DaemonSet nvidia-device-plugin-mps-control-daemon"));
    assertThat(node.smiCalls()).containsExactly(EXCLUSIVE, DEFAULT);
    assertThat(node.state().resolve(DaemonFile.CLAIMS)).content().doesNotContain(UID);
  }

  @Test
  void restartOfTheAgent_leavesTheDaemonAlone() throws IOException {
    isPrepared(preparer(), claim);

    isPrepared(preparer(), claim);

    assertThat(supervisor.started()).containsExactly(LINE);
  }

  @Test
  void lostFile_isWrittenAgainFromTheDaemonsThatRun() throws IOException {
    isPrepared(preparer(), claim);
    Files.delete(node.state().resolve(DaemonFile.CLAIMS));

    var next = preparer();

    assertThat(node.state().resolve(DaemonFile.CLAIMS)).content().contains(LINE);
    isUnprepared(next, UID);
    assertThat(supervisor.running()).isEmpty();
  }

  @Test
  void damagedCheckpoint_endsNoDaemon() throws IOException {
    isPrepared(preparer(), claim);
    Files.writeString(node.checkpoint(), "damaged");

    var next = preparer();

    assertThat(supervisor.running()).containsExactly(LINE);
    isUnprepared(next, UID);
    assertThat(supervisor.running()).isEmpty();
    assertThat(node.smiCalls()).last().isEqualTo(DEFAULT);
  }

  @Test
  void daemonOfAClaimThatIsGone_endsWhenTheAgentStarts() throws IOException {
    isPrepared(preparer(), claim);
    Files.delete(node.checkpoint());

    var _ = preparer();

    assertThat(node.state().resolve(DaemonFile.CLAIMS)).hasContent("pitcrew-mps 1\nend");
  }

  @Test
  void lastClaimOfAGpuWithMig_makesItUsableAgain() throws IOException {
    supervisor.close();
    node =
        TestNode.of(
            folder.resolve("with-mig"),
            "h100x1",
            List.of("mode 0 1 1", "gi 0 1 2 0 4", "gi 0 2 0 4 1", "gi 0 3 0 5 1"));
    supervisor = TestSupervisor.start(node, Daemons.START);
    var preparer = preparer();
    isPrepared(preparer, TestClaim.of("first", "gpu-0-mig-1g10gb-19-4", TestClaim.MIG_MPS, false));
    isPrepared(preparer, TestClaim.of("second", "gpu-0-mig-1g10gb-19-5", TestClaim.MIG_MPS, false));
    assertThat(node.smiCalls()).containsExactly(EXCLUSIVE, EXCLUSIVE);
    assertThat(supervisor.running())
        .allSatisfy(line -> assertThat(line).contains(" 0 0=MIG-").endsWith("=0"));

    isUnprepared(preparer, "first");
    assertThat(node.smiCalls()).isEmpty();
    isUnprepared(preparer, "second");
    assertThat(node.smiCalls()).containsExactly(DEFAULT);
  }
}
