package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The time slice of a GPU belongs to the claims that have set it.
class TimeSlicesTest {
  private static final String GPU = "GPU-01000100-0000-0000-0000-000000000000";
  private static final List<String> LONG = calls(3);
  private static final List<String> DEFAULT = calls(0);
  private static final FeatureSwitches OFF = new FeatureSwitches(false, false, false);

  private final ClaimObject first = TestClaim.of("first", "gpu-0", TestClaim.LONG_SLICE, false);
  private final ClaimObject second = TestClaim.of("second", "gpu-0", TestClaim.LONG_SLICE, false);
  private final ClaimObject plain = TestClaim.of("plain", "gpu-0", "", false);

  @TempDir private Path folder;
  private TestNode node;
  private ClaimPreparer preparer;

  private static List<String> calls(int slice) {
    return List.of(
        "nvidia-smi -i " + GPU + " -c DEFAULT",
        "nvidia-smi compute-policy -i " + GPU + " --set-timeslice " + slice);
  }

  @BeforeEach
  void start() throws IOException {
    node = TestNode.of(folder, "h100x1", List.of());
    preparer = node.preparer();
  }

  private void isPrepared(ClaimObject claim, NodeDevices devices) {
    assertThat(preparer.prepare(claim, devices)).isInstanceOf(PrepareOutcome.Prepared.class);
  }

  private void isUnprepared(ClaimObject claim) {
    assertThat(preparer.unprepare(claim.uid())).isInstanceOf(UnprepareOutcome.Unprepared.class);
  }

  private void smiFails() throws IOException {
    Files.writeString(node.smiProgram(), "#!/bin/sh\necho 'the GPU is lost' >&2\nexit 15\n");
  }

  @Test
  void lastClaimOfAGpuResetsIt() throws IOException {
    NodeDevices shared = node.devices().withShareable(Set.of("gpu-0"));
    isPrepared(first, shared);
    isPrepared(second, shared);
    assertThat(node.smiCalls()).containsExactlyElementsOf(twice(LONG));

    isUnprepared(first);
    assertThat(node.smiCalls()).isEmpty();

    isUnprepared(second);
    assertThat(node.smiCalls()).isEqualTo(DEFAULT);
  }

  /// The programs take longer than all other steps together.
  @Test
  void aClaimWithoutTimeSlice_runsNoProgram_unlessTheUserHasNamedTheGate() throws IOException {
    preparer.use(FeatureSwitches.DEFAULT);
    isPrepared(plain, node.devices());
    isUnprepared(plain);
    assertThat(node.smiCalls()).isEmpty();

    isPrepared(first, node.devices());
    isUnprepared(first);
    assertThat(node.smiCalls()).isEqualTo(Stream.concat(LONG.stream(), DEFAULT.stream()).toList());
  }

  @Test
  void changeOfGates_leavesPreparedClaims_andIsInForceForTheNext() throws IOException {
    isPrepared(first, node.devices());
    String before = Files.readString(node.checkpoint());
    assertThat(node.smiCalls()).isEqualTo(LONG);

    preparer.use(OFF);

    assertThat(node.checkpoint()).hasContent(before);
    isPrepared(first, node.devices());
    assertThat(node.smiCalls()).isEmpty();
    isUnprepared(first);
    assertThat(node.smiCalls()).as("what the claim has set").isEqualTo(DEFAULT);
    assertThat(preparer.prepare(second, node.devices()))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class,
            it ->
                assertThat(it.reason())
                    .contains("team/c-second", "spec.dra.featureGates.TimeSlicingSettings"));

    preparer.use(FeatureSwitches.DEFAULT);

    isPrepared(second, node.devices());
    assertThat(node.smiCalls()).isEqualTo(LONG);
  }

  @Test
  void settingsOfAPreparedClaim_countAlsoWhenItsGateIsOff() throws IOException {
    NodeDevices shared = node.devices().withShareable(Set.of("gpu-0"));
    isPrepared(first, shared);
    preparer.use(OFF);

    assertThat(preparer.prepare(plain, shared))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class, it -> assertThat(it.reason()).contains("first"));
  }

  @Test
  void claimWithATimeSlice_staysUntilItIsReset() throws IOException {
    isPrepared(first, node.devices());
    smiFails();

    assertThat(preparer.unprepare(first.uid()))
        .isInstanceOfSatisfying(
            UnprepareOutcome.Failed.class,
            it -> assertThat(it.reason()).contains("first", GPU, "the GPU is lost"));
    assertThat(preparer.claims()).containsOnlyKeys("first");
  }

  @Test
  void claimWithoutATimeSlice_isUnpreparedThoughNvidiaSmiFails() throws IOException {
    isPrepared(plain, node.devices());
    smiFails();

    isUnprepared(plain);

    assertThat(preparer.claims()).isEmpty();
  }

  @Test
  void withoutADriver_aTimeSliceIsGoneToo() throws IOException {
    isPrepared(first, node.devices());
    Files.delete(node.smiProgram());

    isUnprepared(first);

    assertThat(preparer.claims()).isEmpty();
  }

  private static List<String> twice(List<String> calls) {
    return List.of(calls.get(0), calls.get(1), calls.get(0), calls.get(1));
  }
}
