package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A process that dies while the MIG device of a claim is made or removed leaves a GPU that the
/// next start, or the next call for the claim, puts in order, and no more than that.
class PartitionKillTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final List<String> DIVIDED = List.of("ci 0 0 0 1", "gi 0 0 0 1", "mode 0 1 1");

  /// Stands for SIGKILL: nothing of the process runs any more.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path folder;
  private PartitionedNode node;
  private String before = "";
  private final ClaimObject claim = TestClaim.of(UID, "gpu-0-mig-1g10gb-19-0", "", false);

  @BeforeEach
  void start() throws IOException {
    node = new PartitionedNode(folder, "h100", 1);
    var _ = node.preparer();
    before = Files.readString(node.files().checkpoint());
  }

  private ClaimPreparer killedAfter(Step step) {
    return node.preparer(done -> {
      if (done == step) {
        throw new Killed();
      }
    });
  }

  private void killedWhilePreparing(Step step) {
    ClaimPreparer killed = killedAfter(step);
    assertThatThrownBy(() -> killed.prepare(claim, node.devices(killed)))
        .isInstanceOf(Killed.class);
  }

  private void assertNothingIsLeft(ClaimPreparer preparer) {
    assertThat(node.migState()).isEmpty();
    assertThat(preparer.ownPartitions()).isEmpty();
    assertThat(node.files().checkpoint()).hasContent(before);
    assertThat(node.files().cdi())
        .satisfiesAnyOf(
            it -> assertThat(it).doesNotExist(), it -> assertThat(it).isEmptyDirectory());
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "STARTED",
        "PARTITIONS_JOURNALLED",
        "PARTITIONED",
        "TIME_SLICED",
        "FILE_WRITTEN",
        "COMPLETED"
      })
  void prepareEndsAfterTheProcessWasKilled(Step step) {
    killedWhilePreparing(step);

    ClaimPreparer next = node.preparer();
    var outcome = next.prepare(claim, node.devices(next));

    assertThat(outcome).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(node.migState()).isEqualTo(DIVIDED);
    assertThat(next.claims().values()).singleElement().matches(it -> it.isCompleted());
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "STARTED",
        "PARTITIONS_JOURNALLED",
        "PARTITIONED",
        "TIME_SLICED",
        "FILE_WRITTEN",
        "COMPLETED"
      })
  void unprepareRollsBackWhatAKilledProcessHasDone(Step step) {
    killedWhilePreparing(step);

    ClaimPreparer next = node.preparer();
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertNothingIsLeft(next);
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "SHARING_UNDONE", "PARTITIONS_REMOVED", "REMOVED"})
  void unprepareEndsAfterTheProcessWasKilled(Step step) {
    ClaimPreparer first = node.preparer();
    assertThat(first.prepare(claim, node.devices(first)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    ClaimPreparer next = node.preparer();
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertNothingIsLeft(next);
  }

  /// Kubelet may need the claim again, since its pod is still there.
  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "SHARING_UNDONE", "PARTITIONS_REMOVED", "REMOVED"})
  void prepareAfterAKilledUnprepareMakesAllOfItAgain(Step step) {
    ClaimPreparer first = node.preparer();
    var prepared = first.prepare(claim, node.devices(first));
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    ClaimPreparer next = node.preparer();
    assertThat(next.prepare(claim, node.devices(next))).isEqualTo(prepared);
    assertThat(node.migState()).isEqualTo(DIVIDED);

    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertNothingIsLeft(next);
  }

  @Test
  void startRemovesAGpuInstanceWithoutAComputeInstance() {
    killedWhilePreparing(Step.PARTITIONS_JOURNALLED);
    node.gpus().divide("mode 0 1 1\ngi 0 7 0 0 1\n");

    ClaimPreparer next = node.preparer();

    assertThat(node.migState()).isEmpty();
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertNothingIsLeft(next);
  }

  @Test
  void startLeavesInstancesOfOthersAndOfCompletedClaims() {
    ClaimPreparer first = node.preparer();
    assertThat(first.prepare(claim, node.devices(first)))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    node.gpus()
        .divide(
            """
            mode 0 1 1
            gi 0 7 0 0 1
            ci 0 7 0 0 0 1
            gi 0 2 2 4 4
            ci 0 2 0 2 0 3
            """);
    List<String> all = node.migState();

    ClaimPreparer next = node.preparer();

    assertThat(node.migState()).isEqualTo(all);
    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.migState()).containsExactly("ci 0 0 2 3", "gi 0 2 4 4", "mode 0 1 1");
  }

  /// No instance outlives a boot.
  @Test
  void journalOfAnotherBootIsVoid() throws IOException {
    killedWhilePreparing(Step.PARTITIONED);
    Path journal = node.files().plugin().resolve("partitions.json");
    Files.writeString(journal, Files.readString(journal).replace(TestNode.BOOT, "another"));

    ClaimPreparer next = node.preparer();

    assertThat(next.ownPartitions()).isEmpty();
    assertThat(node.migState()).isEqualTo(DIVIDED);
  }

  @Test
  void damagedJournalLeavesTheGpuAsItIs() throws IOException {
    killedWhilePreparing(Step.PARTITIONED);
    Files.writeString(node.files().plugin().resolve("partitions.json"), "{\"nodeBoot");

    ClaimPreparer next = node.preparer();

    assertThat(next.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(node.migState()).isEqualTo(DIVIDED);
  }
}
