package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A process that dies after any step of a call leaves files from which the next one ends the call,
/// or rolls it back.
class KilledAfterEachStepTest {
  private static final String UID = "0a1b2c3d-0000-4000-8000-000000000001";
  private static final String GPU = "GPU-01000100-0000-0000-0000-000000000000";
  private static final String RESET = "nvidia-smi compute-policy -i " + GPU + " --set-timeslice 0";
  private static final String LONG = "nvidia-smi compute-policy -i " + GPU + " --set-timeslice 3";

  /// Stands for SIGKILL: nothing of the process runs any more.
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path folder;
  private TestNode node;
  private final ClaimObject claim = TestClaim.of(UID, "gpu-0", TestClaim.LONG_SLICE, false);

  @BeforeEach
  void start() throws IOException {
    node = TestNode.of(folder, "h100x2", List.of());
  }

  private ClaimPreparer killedAfter(Step step) {
    return node.preparer(
        new FeatureSwitches(true, false, false),
        (_, _) -> {},
        done -> {
          if (done == step) {
            throw new Killed();
          }
        });
  }

  private String emptyCheckpoint() throws IOException {
    var _ = node.preparer();
    return Files.readString(node.checkpoint());
  }

  private List<String> cdiFiles() throws IOException {
    if (Files.notExists(node.cdi())) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(node.cdi())) {
      return files.map(it -> it.getFileName().toString()).toList();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "TIME_SLICED", "FILE_WRITTEN", "COMPLETED"})
  void prepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    assertThatThrownBy(() -> killedAfter(step).prepare(claim, node.devices()))
        .isInstanceOf(Killed.class);

    var outcome = node.preparer().prepare(claim, node.devices());

    assertThat(outcome).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(cdiFiles()).containsExactly("k8s.gpu.nvidia.com-claim_" + UID + ".yaml");
    assertThat(node.smiCalls()).last().isEqualTo(LONG);
    assertThat(node.preparer().claims().values())
        .singleElement()
        .satisfies(it -> assertThat(it.isCompleted()).isTrue());
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "TIME_SLICED", "FILE_WRITTEN", "COMPLETED"})
  void unprepareRollsBackWhatAKilledProcessHasDone(Step step) throws IOException {
    String before = emptyCheckpoint();
    assertThatThrownBy(() -> killedAfter(step).prepare(claim, node.devices()))
        .isInstanceOf(Killed.class);

    var outcome = node.preparer().unprepare(UID);

    assertThat(outcome).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(cdiFiles()).isEmpty();
    assertThat(node.smiCalls()).last().isEqualTo(RESET);
    assertThat(node.checkpoint()).hasContent(before);
  }

  /// It does not wait for the disk before its CDI file is written.
  @ParameterizedTest
  @EnumSource(names = {"STARTED", "FILE_WRITTEN", "COMPLETED"})
  void claimThatChangesNoGpuLeavesNothingOfAKilledProcess(Step step) throws IOException {
    ClaimObject plain = TestClaim.of(UID, "gpu-0", "", false);
    String before = emptyCheckpoint();
    assertThatThrownBy(() -> killedAfter(step).prepare(plain, node.devices()))
        .isInstanceOf(Killed.class);

    ClaimPreparer successor = node.preparer();
    boolean isCompleted = step == Step.COMPLETED;
    assertThat(cdiFiles()).hasSize(isCompleted ? 1 : 0);
    assertThat(successor.claims()).hasSize(isCompleted ? 1 : 0);
    assertThat(successor.prepare(plain, node.devices()))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(cdiFiles()).hasSize(1);
    assertThat(successor.unprepare(UID)).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(cdiFiles()).isEmpty();
    assertThat(node.checkpoint()).hasContent(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARING_UNDONE", "FILE_REMOVED", "REMOVED"})
  void unprepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    String before = emptyCheckpoint();
    assertThat(node.preparer().prepare(claim, node.devices()))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    var outcome = node.preparer().unprepare(UID);

    assertThat(outcome).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(cdiFiles()).isEmpty();
    assertThat(node.smiCalls()).last().isEqualTo(RESET);
    assertThat(node.checkpoint()).hasContent(before);
  }

  /// Kubelet may need the claim again, since its pod is still there.
  @ParameterizedTest
  @EnumSource(names = {"SHARING_UNDONE", "FILE_REMOVED", "REMOVED"})
  void prepareAfterAKilledUnprepareMakesAllOfItAgain(Step step) throws IOException {
    var first = node.preparer().prepare(claim, node.devices());
    String file = Files.readString(node.cdi().resolve(cdiFiles().getFirst()));
    assertThatThrownBy(() -> killedAfter(step).unprepare(UID)).isInstanceOf(Killed.class);

    assertThat(node.preparer().prepare(claim, node.devices())).isEqualTo(first);
    assertThat(node.cdi().resolve(cdiFiles().getFirst())).hasContent(file);
    assertThat(node.smiCalls()).last().isEqualTo(LONG);
  }

  @Test
  void failedPrepareIsRolledBackInTheSameCall() throws IOException {
    Files.writeString(node.cdi(), "in the way");

    var outcome = node.preparer().prepare(claim, node.devices());

    assertThat(outcome)
        .isInstanceOfSatisfying(
            PrepareOutcome.Failed.class,
            it -> assertThat(it.reason()).contains("team/c-" + UID, node.cdi().toString(), "free"));
    assertThat(node.smiCalls()).endsWith(RESET);
    assertThat(node.preparer().claims().values())
        .singleElement()
        .satisfies(left -> {
          assertThat(left.isCompleted()).isFalse();
          assertThat(left.timeSliced()).isEmpty();
        });

    Files.delete(node.cdi());
    assertThat(node.preparer().prepare(claim, node.devices()))
        .isInstanceOf(PrepareOutcome.Prepared.class);
  }
}
