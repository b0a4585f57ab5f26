package dev.pitcrew.agent.dra.domains;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Claims wait for the daemon of their domain, and end with a reason.
class DomainPreparerTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String OTHER = "eeeeeeee-0000-4000-8000-000000000002";

  @TempDir private Path folder;
  private DomainBed bed;

  @BeforeEach
  void start() {
    bed = new DomainBed(folder);
  }

  @AfterEach
  void end() {
    bed.close();
  }

  private static CompletableFuture<PrepareOutcome> begin(
      DomainPreparer preparer, ClaimObject claim) {
    return CompletableFuture.supplyAsync(
        () -> preparer.prepare(claim, DomainBed.node(), DomainBed.LONG),
        task -> Thread.ofVirtual().start(task));
  }

  private static PrepareOutcome prepare(DomainPreparer preparer, ClaimObject claim) {
    return preparer.prepare(claim, DomainBed.node(), DomainBed.LONG);
  }

  private void awaitWatches() {
    await().atMost(LIMIT).until(() -> bed.objects.watched().size() >= 3);
  }

  @Test
  void channelIsPreparedOnceTheDaemonReports() {
    bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
    var outcome = begin(bed.preparer(), DomainBed.channel("c"));
    await().atMost(LIMIT).until(() -> bed.objects.label().isPresent());
    awaitWatches();
    assertThat(outcome).isNotDone();

    bed.objects.clique(DomainBed.DOMAIN + "." + DomainBed.CLIQUE, "node-a", "Ready");

    assertThat(outcome).succeedsWithin(LIMIT).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(bed.objects.label()).hasValue(DomainBed.DOMAIN);
    assertThat(bed.cdiFiles()).containsExactly("k8s.compute-domain.nvidia.com-claim_uid-c.yaml");
  }

  @Test
  void answerInTimeSaysWhatIsWaitedFor() {
    bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
    bed.objects.clique(DomainBed.DOMAIN + "." + DomainBed.CLIQUE, "node-a", "NotReady");
    DomainPreparer preparer = bed.preparer();

    // As the kubelet tries again, until the API server has shown all of it in time.
    await()
        .atMost(LIMIT)
        .until(
            () ->
                DomainBed.reason(preparer.prepare(DomainBed.channel("c"), DomainBed.node(), SHORT)),
            reason ->
                reason.startsWith("claim team/c: the IMEX daemon of ComputeDomain team/dom")
                    && reason.contains("node node-a is NotReady"));

    assertThat(bed.objects.label()).as("brings the daemon").hasValue(DomainBed.DOMAIN);
    assertThat(bed.cdiFiles()).isEmpty();
    assertThat(preparer.claims().values())
        .singleElement()
        .satisfies(claim -> assertThat(claim.isCompleted()).isFalse());
  }

  @Test
  void nodeServesOneDomainAtATime() {
    bed.ready();
    bed.objects.label(OTHER);
    DomainPreparer preparer = bed.preparer();
    await()
        .atMost(LIMIT)
        .until(
            () ->
                DomainBed.reason(preparer.prepare(DomainBed.channel("c"), DomainBed.node(), SHORT)),
            reason ->
                reason.contains(OTHER) && reason.contains("resource.nvidia.com/computeDomain"));
    assertThat(bed.objects.label()).hasValue(OTHER);

    var outcome = begin(preparer, DomainBed.channel("c"));
    bed.objects.unlabel();

    assertThat(outcome).succeedsWithin(LIMIT).isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(bed.objects.label()).hasValue(DomainBed.DOMAIN);
  }

  @Test
  void unprepareEndsACallThatWaits() {
    bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
    DomainPreparer preparer = bed.preparer();
    var outcome = begin(preparer, DomainBed.channel("c"));
    awaitWatches();

    assertThat(preparer.unprepare("uid-c")).isInstanceOf(UnprepareOutcome.Unprepared.class);

    assertThat(outcome).succeedsWithin(LIMIT).isInstanceOf(PrepareOutcome.Failed.class);
    assertThat(bed.objects.label()).isEmpty();
    assertThat(preparer.claims()).isEmpty();
  }

  @Test
  void domainThatIsDeletedEndsTheWait() {
    bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
    var outcome = begin(bed.preparer(), DomainBed.channel("c"));
    awaitWatches();

    bed.objects.deleting(DomainBed.STATUS);

    assertThat(outcome)
        .succeedsWithin(LIMIT)
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class,
            it -> assertThat(it.reason()).contains("team/dom is being deleted"));
  }

  @Test
  void labelGoesWithTheLastChannelOfTheDomain() {
    bed.ready();
    DomainPreparer preparer = bed.preparer();
    assertThat(prepare(preparer, DomainBed.channel("c")))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(DomainBed.reason(prepare(preparer, DomainBed.channel("d"))))
        .contains("channel-0 is in use", "uid-c");
    assertThat(prepare(preparer, DomainBed.daemon("daemon")))
        .isInstanceOf(PrepareOutcome.Prepared.class);

    assertThat(preparer.unprepare("uid-daemon")).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.objects.label()).hasValue(DomainBed.DOMAIN);
    assertThat(preparer.unprepare("uid-c")).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.objects.label()).isEmpty();
    assertThat(bed.cdiFiles()).isEmpty();
  }

  @Test
  void labelOfAnotherDomainStays() {
    bed.ready();
    DomainPreparer preparer = bed.preparer();
    var _ = prepare(preparer, DomainBed.channel("c"));
    bed.objects.label(OTHER);

    assertThat(preparer.unprepare("uid-c")).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.objects.label()).hasValue(OTHER);
  }

  @Test
  void nodeThatOthersChangeIsReadAgain() {
    bed.ready();
    bed.objects.conflict(2);

    assertThat(prepare(bed.preparer(), DomainBed.channel("c")))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    assertThat(bed.objects.label()).hasValue(DomainBed.DOMAIN);
  }

  @Test
  void deviceThatWasNeverAnnouncedIsRefused() {
    bed.ready();
    ClaimObject claim =
        DomainBed.claim(
            "c",
            "channel-5",
            "{\"apiVersion\":\"resource.nvidia.com/v1beta1\",\"kind\":\"ComputeDomainChannelConfig\",\"domainID\":\"%s\"}"
                .formatted(DomainBed.DOMAIN));

    assertThat(DomainBed.reason(prepare(bed.preparer(), claim)))
        .contains("team/c", "channel-5 is not on this node", "channel-0, daemon-0");
    assertThat(bed.objects.label()).isEmpty();
  }

  @Test
  void unknownDomainIsRefused() {
    assertThat(prepare(bed.preparer(), DomainBed.channel("c", OTHER, "Single")))
        .isInstanceOfSatisfying(
            PrepareOutcome.Refused.class,
            it -> assertThat(it.reason()).contains("team/c", OTHER, "domainID"));
    assertThat(bed.objects.label()).isEmpty();
  }

  @Test
  void allChannelsAreGivenOnRequest() throws IOException {
    bed.ready();
    assertThat(prepare(bed.preparer(), DomainBed.channel("c", DomainBed.DOMAIN, "All")))
        .isInstanceOf(PrepareOutcome.Prepared.class);

    assertThat(Files.readAllLines(bed.cdi().resolve(bed.cdiFiles().getFirst())))
        .filteredOn(line -> line.contains("path: /dev/nvidia-caps-imex-channels/channel"))
        .hasSize(2048);
  }

  /// Source: dra.md of the recordings, a node without a clique.
  @Test
  void withoutAFabricTheContainerGetsNothing() {
    bed.objects.domain(DomainBed.DOMAIN, "team", "dom");
    bed.objects.status(
        DomainBed.STATUS,
        Facts.parse(
            "{\"nodes\":[{\"name\":\"node-a\",\"cliqueID\":\"\",\"index\":-1,\"status\":\"Ready\"}]}"));
    DomainPreparer preparer = bed.preparer();

    for (int call = 0; call < 2; call++) {
      assertThat(
              preparer.prepare(DomainBed.channel("c"), DomainBed.withoutFabric(), DomainBed.LONG))
          .isInstanceOfSatisfying(
              PrepareOutcome.Prepared.class,
              it ->
                  assertThat(it.devices())
                      .singleElement()
                      .satisfies(device -> assertThat(device.cdiIds()).isEmpty()));
    }
    assertThat(bed.cdiFiles()).isEmpty();
  }

  @Test
  void foldersGoWithTheirDomain() {
    bed.ready();
    DomainPreparer preparer = bed.preparer();
    var _ = prepare(preparer, DomainBed.daemon("d"));
    assertThat(preparer.sweep()).isEmpty();
    assertThat(bed.domainFolders()).containsExactly(DomainBed.DOMAIN);

    bed.objects.delete(DomainBed.STATUS);
    assertThat(preparer.sweep()).isEmpty();
    assertThat(bed.domainFolders()).as("in use").containsExactly(DomainBed.DOMAIN);

    assertThat(preparer.unprepare("uid-d")).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(preparer.sweep()).isEmpty();
    assertThat(bed.domainFolders()).isEmpty();
  }

  @Test
  void damagedCheckpointIsRebuiltAndTheLabelStillGoes() throws IOException {
    bed.ready();
    assertThat(prepare(bed.preparer(), DomainBed.channel("c")))
        .isInstanceOf(PrepareOutcome.Prepared.class);
    Files.writeString(bed.checkpoint(), "damage");

    DomainPreparer successor = bed.preparer();

    assertThat(successor.claims()).containsOnlyKeys("uid-c");
    assertThat(successor.unprepare("uid-c")).isInstanceOf(UnprepareOutcome.Unprepared.class);
    assertThat(bed.objects.label()).isEmpty();
    assertThat(bed.cdiFiles()).isEqualTo(List.of());
  }
}
