package dev.pitcrew.agent.dra.domains;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.domains.DomainPreparer.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A process that is killed after any step leaves nothing that the next one does not repeat or
/// undo.
class DomainKillTest {
  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private Path folder;
  private DomainBed bed;
  private ClaimObject claim = DomainBed.channel("c");

  @BeforeEach
  void start() {
    bed = new DomainBed(folder);
    bed.ready();
  }

  @AfterEach
  void end() {
    bed.close();
  }

  private DomainPreparer killedAfter(Step step) {
    claim = step == Step.FOLDER_MADE ? DomainBed.daemon("c") : claim;
    return bed.preparer(done -> {
      if (done == step) {
        throw new Killed();
      }
    });
  }

  private PrepareOutcome prepare(DomainPreparer preparer) {
    return preparer.prepare(claim, DomainBed.node(), DomainBed.LONG);
  }

  private String emptyCheckpoint() throws IOException {
    var _ = bed.preparer();
    return Files.readString(bed.checkpoint());
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "LABELLED", "FOLDER_MADE", "FILE_WRITTEN", "COMPLETED"})
  void prepareEndsAfterTheProcessWasKilled(Step step) {
    DomainPreparer killed = killedAfter(step);
    assertThatThrownBy(() -> prepare(killed)).isInstanceOf(Killed.class);

    assertThat(prepare(bed.preparer())).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(bed.cdiFiles()).containsExactly("k8s.compute-domain.nvidia.com-claim_uid-c.yaml");
    assertThat(bed.preparer().claims().values())
        .singleElement()
        .satisfies(it -> assertThat(it.isCompleted()).isTrue());
  }

  @ParameterizedTest
  @EnumSource(names = {"STARTED", "LABELLED", "FOLDER_MADE", "FILE_WRITTEN", "COMPLETED"})
  void unprepareRollsBackWhatAKilledProcessHasDone(Step step) throws IOException {
    String before = emptyCheckpoint();
    DomainPreparer killed = killedAfter(step);
    assertThatThrownBy(() -> prepare(killed)).isInstanceOf(Killed.class);

    assertThat(bed.preparer().unprepare(claim.uid()))
        .isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.cdiFiles()).isEmpty();
    assertThat(bed.objects.label()).isEmpty();
    assertThat(bed.checkpoint()).hasContent(before);
  }

  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "UNLABELLED", "REMOVED"})
  void unprepareEndsAfterTheProcessWasKilled(Step step) throws IOException {
    String before = emptyCheckpoint();
    assertThat(prepare(bed.preparer())).isInstanceOf(PrepareOutcome.Prepared.class);
    DomainPreparer killed = killedAfter(step);
    assertThatThrownBy(() -> killed.unprepare(claim.uid())).isInstanceOf(Killed.class);

    assertThat(bed.preparer().unprepare(claim.uid()))
        .isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.cdiFiles()).isEmpty();
    assertThat(bed.objects.label()).isEmpty();
    assertThat(bed.checkpoint()).hasContent(before);
  }

  /// Kubelet may need the claim again, since its pod is still there.
  @ParameterizedTest
  @EnumSource(names = {"FILE_REMOVED", "UNLABELLED", "REMOVED"})
  void prepareAfterAKilledUnprepareMakesAllOfItAgain(Step step) {
    var first = prepare(bed.preparer());
    DomainPreparer killed = killedAfter(step);
    assertThatThrownBy(() -> killed.unprepare(claim.uid())).isInstanceOf(Killed.class);

    assertThat(prepare(bed.preparer())).isEqualTo(first);
    assertThat(bed.objects.label()).hasValue(DomainBed.DOMAIN);
    assertThat(bed.cdiFiles()).hasSize(1);
  }
}
