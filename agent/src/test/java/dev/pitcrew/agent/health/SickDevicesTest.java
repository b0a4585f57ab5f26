package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SickDevicesTest {
  private static final Inventory WHOLE = Nodes.withGpus(2);
  private static final Inventory DIVIDED = Nodes.of(Nodes.divided(0, 2), Nodes.divided(1, 2));

  @Test
  void anEventOfAGpuMakesThatGpuSick() {
    assertThat(after(XidEvent.of(Nodes.uuid(1), 79), WHOLE))
        .isEqualTo(Map.of(Nodes.uuid(1), "Xid 79"));
  }

  @Test
  void anIgnoredXidMakesNobodySick() {
    assertThat(after(XidEvent.of(Nodes.uuid(1), 43), WHOLE)).isEmpty();
  }

  @Test
  void anEventOfAMigDeviceMakesExactlyThatOneSick() {
    assertThat(sick(event(0, OptionalInt.of(2), OptionalInt.of(0)), DIVIDED))
        .containsExactly(Nodes.migUuid(0, 1));
    assertThat(sick(event(0, OptionalInt.of(2), OptionalInt.empty()), DIVIDED))
        .containsExactly(Nodes.migUuid(0, 1));
    assertThat(sick(event(0, OptionalInt.of(7), OptionalInt.of(0)), DIVIDED)).isEmpty();
    assertThat(sick(event(0, OptionalInt.empty(), OptionalInt.empty()), DIVIDED))
        .containsExactly(Nodes.uuid(0));
  }

  @Test
  void anEventOfNobodyInParticularIsOneOfAll() {
    XidEvent event = new XidEvent(Optional.empty(), 79, OptionalInt.empty(), OptionalInt.empty());
    assertThat(sick(event, WHOLE)).containsExactlyInAnyOrder(Nodes.uuid(0), Nodes.uuid(1));
  }

  @Test
  void aNewDriverMakesWellAgain() {
    SickDevices sick = devices(XidEvent.of(Nodes.uuid(0), 79), DIVIDED);
    assertThat(sick.afterDriverStart(Optional.of("8")).health().sick()).isEmpty();
    SickDevices underLoad = sick.underLoad(Optional.of("7"));
    assertThat(underLoad.afterDriverStart(Optional.of("8")).health().sick()).isEmpty();
    assertThat(underLoad.afterDriverStart(Optional.empty()).health().sick()).isEmpty();
  }

  @Test
  void aDriverThatWasOnlyOutOfSightMakesNobodyWell() {
    var load = Optional.of("7");
    SickDevices sick = devices(XidEvent.of(Nodes.uuid(0), 79), DIVIDED).underLoad(load);
    assertThat(sick.afterDriverStart(load)).isEqualTo(sick);
  }

  @ParameterizedTest
  @CsvSource({"7, 7, false, true", "7, 8, true, false", "7,, false, false", ", 8, false, false"})
  void anotherLoadIsOneThatIsKnownToDiffer(
      String before, String now, boolean isOther, boolean isSame) {
    SickDevices sick =
        devices(XidEvent.of(Nodes.uuid(0), 79), WHOLE)
            .withholding(Map.of(Nodes.uuid(1), "hangs"))
            .underLoad(Optional.ofNullable(before));
    var load = Optional.ofNullable(now);

    assertThat(sick.isOfOtherLoad(load)).isEqualTo(isOther);
    assertThat(sick.isOfSameLoad(load)).isEqualTo(isSame);
    SickDevices next = sick.underLoad(load);
    assertThat(next.driverLoad()).contains(now == null ? before : now);
    assertThat(next.health().sick().keySet())
        .isEqualTo(isOther ? Set.of() : Set.of(Nodes.uuid(0), Nodes.uuid(1)));
  }

  @Test
  void whatAnotherPolicyIgnoresIsForgotten() {
    SickDevices sick =
        devices(XidEvent.of(Nodes.uuid(0), 79), WHOLE)
            .after(XidEvent.of(Nodes.uuid(1), 48), WHOLE, XidPolicy.DEFAULT, Instant.EPOCH)
            .seeing(
                WHOLE.gpus().getFirst(),
                Map.of(SignKind.REMAP_FAILED, 79L),
                Instant.EPOCH,
                new HealthRules(Duration.ofMinutes(5)));

    assertThat(sick.under(XidPolicy.DEFAULT)).isEqualTo(sick);
    SickDevices ignoring = sick.under(XidPolicy.of("79", ""));
    assertThat(ignoring.health().sick())
        .isEqualTo(
            Map.of(
                Nodes.uuid(0), "a row of memory could not be remapped", Nodes.uuid(1), "Xid 48"));
    assertThat(ignoring.byXidsOnly().health().sick()).isEqualTo(Map.of(Nodes.uuid(1), "Xid 48"));
  }

  @Test
  void aGpuThatIsWithheldKeepsTheReasonThatItHas() {
    SickDevices sick = SickDevices.NONE.withholding(Map.of(Nodes.uuid(0), "first"));

    assertThat(
            sick.withholding(Map.of(Nodes.uuid(0), "second", Nodes.uuid(1), "other"))
                .health()
                .sick())
        .isEqualTo(Map.of(Nodes.uuid(0), "first", Nodes.uuid(1), "other"));
  }

  @Test
  void allGpusMayBeSickForOneReason() {
    assertThat(SickDevices.all(WHOLE, "unloaded").sick())
        .isEqualTo(Map.of(Nodes.uuid(0), "unloaded", Nodes.uuid(1), "unloaded"));
  }

  @Test
  void theNextProcessExcusesAGpuThatIsOnlySlowUnlessItDidNotAnswerBefore() {
    KnownGpus known = KnownGpus.first(WHOLE);
    Inventory slow = without(new UnreadableGpu(1, "slow", false, true));

    KnownGpus next = known.continuedBy(slow);
    assertThat(next.unanswered()).isEmpty();
    assertThat(next.inventory().gpus()).isEqualTo(WHOLE.gpus());
    assertThat(known.continuedBy(without(new UnreadableGpu(1, "silent"))).unanswered())
        .containsOnlyKeys(Nodes.uuid(1));
    assertThat(known.then(slow).unanswered()).containsOnlyKeys(Nodes.uuid(1));
    assertThat(known.then(slow).continuedBy(slow).unanswered()).containsOnlyKeys(Nodes.uuid(1));
  }

  @Test
  void aGpuThatAnswersUnderAnotherIndexIsNotMissed() {
    Gpu last = WHOLE.gpus().getLast();
    Gpu moved = new Gpu(0, 0, last.uuid(), last.board(), last.pci(), last.mig(), last.fabric());
    Inventory next =
        new Inventory(
            WHOLE.driver(),
            List.of(moved),
            List.of(new UnreadableGpu(1, "silent")),
            WHOLE.topology());

    KnownGpus known = KnownGpus.first(WHOLE).then(next);
    assertThat(known.unanswered()).isEmpty();
    assertThat(known.inventory()).isEqualTo(next);
  }

  @Test
  void aLostGpuStaysLostWhileItIsSilent() {
    KnownGpus lost = KnownGpus.first(WHOLE).then(without(new UnreadableGpu(1, "lost", true)));
    assertThat(lost.lost()).containsExactly(Nodes.uuid(1));
    assertThat(lost.then(without(new UnreadableGpu(1, "silent"))).lost())
        .containsExactly(Nodes.uuid(1));
    assertThat(lost.then(WHOLE).lost()).isEmpty();
  }

  private static Inventory without(UnreadableGpu silent) {
    return new Inventory(
        WHOLE.driver(), WHOLE.gpus().subList(0, 1), List.of(silent), WHOLE.topology());
  }

  @Test
  void aGpuThatWasLostAndAnswersAgainWasReset() {
    assertThat(afterSilence(true).health().sick()).isEmpty();
  }

  @Test
  void aGpuThatMerelyHungKeepsItsSickness() {
    assertThat(afterSilence(false).health().sick()).containsOnlyKeys(Nodes.uuid(1));
  }

  private static SickDevices afterSilence(boolean needsReset) {
    Inventory silent =
        new Inventory(
            WHOLE.driver(),
            WHOLE.gpus().subList(0, 1),
            List.of(new UnreadableGpu(1, "silent", needsReset)),
            WHOLE.topology());
    KnownGpus without = KnownGpus.first(WHOLE).then(silent);
    SickDevices sick = devices(XidEvent.of(Nodes.uuid(1), 79), WHOLE).seeing(without);
    assertThat(sick.health().sick()).containsOnlyKeys(Nodes.uuid(1));
    SickDevices still = sick.seeing(without.then(silent));
    assertThat(still.signs().of(Nodes.uuid(1))).as("while it is away").hasSize(1);
    return still.seeing(without.then(WHOLE));
  }

  @Test
  void aGpuThatDoesNotAnswerIsSickForJustAsLong() {
    KnownGpus known = KnownGpus.first(WHOLE);
    Inventory lost =
        new Inventory(
            WHOLE.driver(),
            WHOLE.gpus().subList(0, 1),
            List.of(new UnreadableGpu(1, "GPU is lost"), new UnreadableGpu(2, "never seen")),
            WHOLE.topology());
    KnownGpus without = known.then(lost);
    assertThat(without.inventory().gpus()).isEqualTo(WHOLE.gpus());
    assertThat(without.inventory().unreadable())
        .containsExactly(new UnreadableGpu(2, "never seen"));
    SickDevices sick = SickDevices.NONE.seeing(without);
    assertThat(sick.health().sick()).isEqualTo(Map.of(Nodes.uuid(1), "GPU is lost"));
    KnownGpus still = without.then(lost);
    assertThat(sick.seeing(still).health().sick()).hasSize(1);
    assertThat(sick.seeing(still.then(WHOLE)).health().sick()).isEmpty();
  }

  @Test
  void aMigDeviceThatIsGoneIsForgotten() {
    SickDevices sick = devices(event(0, OptionalInt.of(2), OptionalInt.of(0)), DIVIDED);
    assertThat(sick.seeing(KnownGpus.first(WHOLE)).health().sick()).isEmpty();
  }

  private static XidEvent event(int gpu, OptionalInt gpuInstance, OptionalInt computeInstance) {
    return new XidEvent(Optional.of(Nodes.uuid(gpu)), 94, gpuInstance, computeInstance);
  }

  private static SickDevices devices(XidEvent event, Inventory inventory) {
    return SickDevices.NONE.after(event, inventory, XidPolicy.DEFAULT, Instant.EPOCH);
  }

  private static Map<String, String> after(XidEvent event, Inventory inventory) {
    return devices(event, inventory).health().sick();
  }

  private static Set<String> sick(XidEvent event, Inventory inventory) {
    return after(event, inventory).keySet();
  }
}
