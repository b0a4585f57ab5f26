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

class UnhealthyDevicesTest {
  private static final Inventory WHOLE = Nodes.withGpus(2);
  private static final Inventory DIVIDED = Nodes.of(Nodes.divided(0, 2), Nodes.divided(1, 2));

  @Test
  void anEventOfAGpuMakesThatGpuUnhealthy() {
    assertThat(after(XidEvent.of(Nodes.uuid(1), 79), WHOLE))
        .isEqualTo(Map.of(Nodes.uuid(1), "Xid 79"));
  }

  @Test
  void anIgnoredXidMakesNoGpuUnhealthy() {
    assertThat(after(XidEvent.of(Nodes.uuid(1), 43), WHOLE)).isEmpty();
  }

  @Test
  void anEventOfAMigDeviceMakesExactlyThatOneUnhealthy() {
    assertThat(unhealthy(event(0, OptionalInt.of(2), OptionalInt.of(0)), DIVIDED))
        .containsExactly(Nodes.migUuid(0, 1));
    assertThat(unhealthy(event(0, OptionalInt.of(2), OptionalInt.empty()), DIVIDED))
        .containsExactly(Nodes.migUuid(0, 1));
    assertThat(unhealthy(event(0, OptionalInt.of(7), OptionalInt.of(0)), DIVIDED)).isEmpty();
    assertThat(unhealthy(event(0, OptionalInt.empty(), OptionalInt.empty()), DIVIDED))
        .containsExactly(Nodes.uuid(0));
  }

  @Test
  void eventWithoutAGpu_countsForAllGpus() {
    XidEvent event = new XidEvent(Optional.empty(), 79, OptionalInt.empty(), OptionalInt.empty());
    assertThat(unhealthy(event, WHOLE)).containsExactlyInAnyOrder(Nodes.uuid(0), Nodes.uuid(1));
  }

  @Test
  void aNewDriverMakesWellAgain() {
    UnhealthyDevices unhealthy = devices(XidEvent.of(Nodes.uuid(0), 79), DIVIDED);
    assertThat(unhealthy.afterDriverStart(Optional.of("8")).health().unhealthy()).isEmpty();
    UnhealthyDevices underLoad = unhealthy.underLoad(Optional.of("7"));
    assertThat(underLoad.afterDriverStart(Optional.of("8")).health().unhealthy()).isEmpty();
    assertThat(underLoad.afterDriverStart(Optional.empty()).health().unhealthy()).isEmpty();
  }

  @Test
  void driverThatWasOnlyOutOfSight_healsNoGpu() {
    var load = Optional.of("7");
    UnhealthyDevices unhealthy = devices(XidEvent.of(Nodes.uuid(0), 79), DIVIDED).underLoad(load);
    assertThat(unhealthy.afterDriverStart(load)).isEqualTo(unhealthy);
  }

  @ParameterizedTest
  @CsvSource({"7, 7, false, true", "7, 8, true, false", "7,, false, false", ", 8, false, false"})
  void anotherLoadIsOneThatIsKnownToDiffer(
      String before, String now, boolean isOther, boolean isSame) {
    UnhealthyDevices unhealthy =
        devices(XidEvent.of(Nodes.uuid(0), 79), WHOLE)
            .withholding(Map.of(Nodes.uuid(1), "hangs"))
            .underLoad(Optional.ofNullable(before));
    var load = Optional.ofNullable(now);

    assertThat(unhealthy.isOfOtherLoad(load)).isEqualTo(isOther);
    assertThat(unhealthy.isOfSameLoad(load)).isEqualTo(isSame);
    UnhealthyDevices next = unhealthy.underLoad(load);
    assertThat(next.driverLoad()).contains(now == null ? before : now);
    assertThat(next.health().unhealthy().keySet())
        .isEqualTo(isOther ? Set.of() : Set.of(Nodes.uuid(0), Nodes.uuid(1)));
  }

  @Test
  void xidThatAnotherPolicyIgnores_isForgotten() {
    UnhealthyDevices unhealthy =
        devices(XidEvent.of(Nodes.uuid(0), 79), WHOLE)
            .after(XidEvent.of(Nodes.uuid(1), 48), WHOLE, XidPolicy.DEFAULT, Instant.EPOCH)
            .seeing(
                WHOLE.gpus().getFirst(),
                Map.of(SignKind.REMAP_FAILED, 79L),
                Instant.EPOCH,
                new HealthRules(Duration.ofMinutes(5)));

    assertThat(unhealthy.under(XidPolicy.DEFAULT)).isEqualTo(unhealthy);
    UnhealthyDevices ignoring = unhealthy.under(XidPolicy.of("79", ""));
    assertThat(ignoring.health().unhealthy())
        .isEqualTo(
            Map.of(
                Nodes.uuid(0), "a row of memory could not be remapped", Nodes.uuid(1), "Xid 48"));
    assertThat(ignoring.byXidsOnly().health().unhealthy())
        .isEqualTo(Map.of(Nodes.uuid(1), "Xid 48"));
  }

  @Test
  void aGpuThatIsWithheldKeepsTheReasonThatItHas() {
    UnhealthyDevices unhealthy = UnhealthyDevices.NONE.withholding(Map.of(Nodes.uuid(0), "first"));

    assertThat(
            unhealthy
                .withholding(Map.of(Nodes.uuid(0), "second", Nodes.uuid(1), "other"))
                .health()
                .unhealthy())
        .isEqualTo(Map.of(Nodes.uuid(0), "first", Nodes.uuid(1), "other"));
  }

  @Test
  void allGpusMayBeUnhealthyForOneReason() {
    assertThat(UnhealthyDevices.all(WHOLE, "unloaded").unhealthy())
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
    assertThat(afterSilence(true).health().unhealthy()).isEmpty();
  }

  @Test
  void aGpuThatMerelyHungStaysUnhealthy() {
    assertThat(afterSilence(false).health().unhealthy()).containsOnlyKeys(Nodes.uuid(1));
  }

  private static UnhealthyDevices afterSilence(boolean needsReset) {
    Inventory silent =
        new Inventory(
            WHOLE.driver(),
            WHOLE.gpus().subList(0, 1),
            List.of(new UnreadableGpu(1, "silent", needsReset)),
            WHOLE.topology());
    KnownGpus without = KnownGpus.first(WHOLE).then(silent);
    UnhealthyDevices unhealthy = devices(XidEvent.of(Nodes.uuid(1), 79), WHOLE).seeing(without);
    assertThat(unhealthy.health().unhealthy()).containsOnlyKeys(Nodes.uuid(1));
    UnhealthyDevices still = unhealthy.seeing(without.then(silent));
    assertThat(still.signs().of(Nodes.uuid(1))).as("while it is away").hasSize(1);
    return still.seeing(without.then(WHOLE));
  }

  @Test
  void aGpuThatDoesNotAnswerIsUnhealthyForJustAsLong() {
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
    UnhealthyDevices unhealthy = UnhealthyDevices.NONE.seeing(without);
    assertThat(unhealthy.health().unhealthy()).isEqualTo(Map.of(Nodes.uuid(1), "GPU is lost"));
    KnownGpus still = without.then(lost);
    assertThat(unhealthy.seeing(still).health().unhealthy()).hasSize(1);
    assertThat(unhealthy.seeing(still.then(WHOLE)).health().unhealthy()).isEmpty();
  }

  @Test
  void aMigDeviceThatIsGoneIsForgotten() {
    UnhealthyDevices unhealthy = devices(event(0, OptionalInt.of(2), OptionalInt.of(0)), DIVIDED);
    assertThat(unhealthy.seeing(KnownGpus.first(WHOLE)).health().unhealthy()).isEmpty();
  }

  private static XidEvent event(int gpu, OptionalInt gpuInstance, OptionalInt computeInstance) {
    return new XidEvent(Optional.of(Nodes.uuid(gpu)), 94, gpuInstance, computeInstance);
  }

  private static UnhealthyDevices devices(XidEvent event, Inventory inventory) {
    return UnhealthyDevices.NONE.after(event, inventory, XidPolicy.DEFAULT, Instant.EPOCH);
  }

  private static Map<String, String> after(XidEvent event, Inventory inventory) {
    return devices(event, inventory).health().unhealthy();
  }

  private static Set<String> unhealthy(XidEvent event, Inventory inventory) {
    return after(event, inventory).keySet();
  }
}
