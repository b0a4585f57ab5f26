package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

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
    return sick.seeing(without.then(silent)).seeing(without.then(WHOLE));
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
