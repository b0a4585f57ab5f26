package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Vital;
import dev.pitcrew.hardware.gpu.Vitals;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What each kind of evidence leads to, and how it goes again. Over 300 lines, as each kind of
/// evidence has its row and its way back.
class LevelsTest {
  private static final Instant T0 = Instant.parse("2026-11-22T08:00:00Z");
  private static final HealthRules RULES = new HealthRules(Duration.ofMinutes(5));
  private static final Inventory NODE = Nodes.withGpus(2);
  private static final Gpu GPU = NODE.gpus().get(1);

  private final Examination examination = new Examination(RULES);
  private UnhealthyDevices unhealthy = UnhealthyDevices.NONE;
  private Instant now = T0;

  @ParameterizedTest
  @CsvSource({
    "UNCORRECTED_ECC, 1, NEEDS_RESET, true",
    "REMAP_PENDING, 1, NEEDS_RESET, true",
    "REMAP_FAILED, 1, REPLACE, true",
    "RETIREMENT_PENDING, 1, NEEDS_RESET, true",
    "RECOVERY_ACTION, 1, NEEDS_RESET, true",
    "RECOVERY_ACTION, 2, NEEDS_REBOOT, true",
    "RECOVERY_ACTION, 3, DEGRADED, false",
    "RECOVERY_ACTION, 4, NEEDS_RESET, true",
    "RECOVERY_ACTION, 99, DEGRADED, false",
  })
  void aReadingLeadsToItsLevelAndGoesWithIt(
      Vital vital, long value, HealthLevel level, boolean isUnfit) {
    look(Map.of(vital, value));
    assertThat(unhealthy.level(GPU)).isEqualTo(level);
    assertThat(unhealthy.health().of(GPU).isPresent()).isEqualTo(isUnfit);
    assertThat(unhealthy.level(NODE.gpus().getFirst())).isEqualTo(HealthLevel.HEALTHY);

    look(Map.of(vital, 0L));
    assertThat(unhealthy.health().of(GPU)).isEmpty();
    pass(Duration.ofSeconds(299));
    look(Map.of(vital, 0L));
    assertThat(unhealthy.level(GPU))
        .isEqualTo(isUnfit ? HealthLevel.HEALTHY : HealthLevel.DEGRADED);
    pass(Duration.ofSeconds(1));
    look(Map.of(vital, 0L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "UNCORRECTED_ECC, 3, 3 uncorrected memory errors",
    "REMAP_PENDING, 1, a row of memory waits for a reset to be remapped",
    "REMAP_FAILED, 1, a row of memory could not be remapped",
    "RETIREMENT_PENDING, 1, a page of memory waits for a reset to be retired",
    "RECOVERY_ACTION, 1, the GPU asks for a reset",
    "RECOVERY_ACTION, 2, the GPU asks for a reboot of the node",
    "RECOVERY_ACTION, 3, the GPU asks for its peer-to-peer traffic to be drained",
    "RECOVERY_ACTION, 4, the GPU asks for a drain and a reset",
    "RECOVERY_ACTION, 99, the GPU asks for recovery action 99",
  })
  void aReadingIsNamedInWords(Vital vital, long value, String words) {
    look(Map.of(vital, value));
    assertThat(unhealthy.signs().of(GPU.uuid())).extracting(Sign::text).containsExactly(words);
  }

  @ParameterizedTest
  @CsvSource({
    "0x20, slowed down by its temperature",
    "0x40, slowed down by its temperature",
    "0x80, slowed down by its power supply",
  })
  void aSlowdownIsNamedInWords(String reasons, String words) {
    look(Map.of(Vital.CLOCK_EVENT_REASONS, Long.decode(reasons)));
    assertThat(unhealthy.signs().of(GPU.uuid())).extracting(Sign::text).containsExactly(words);
  }

  @ParameterizedTest
  @CsvSource({"0x20, DEGRADED", "0x40, DEGRADED", "0x80, DEGRADED", "0x4, HEALTHY", "0x1, HEALTHY"})
  void aSlowdownCountsWhenItLasts(String reasons, HealthLevel level) {
    Map<Vital, Long> slow = Map.of(Vital.CLOCK_EVENT_REASONS, Long.decode(reasons));
    look(slow);
    pass(Duration.ofSeconds(9));
    look(slow);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.HEALTHY);
    pass(Duration.ofSeconds(1));
    look(slow);
    assertThat(unhealthy.level(GPU)).isEqualTo(level);
    assertThat(unhealthy.health().unhealthy()).isEmpty();
  }

  @Test
  void resetsThatDoNotHelpAreCountedUntilTheEvidenceGoes() {
    Map<Vital, Long> pending = Map.of(Vital.REMAP_PENDING, 1L);
    unhealthy = unhealthy.after(XidEvent.of(GPU.uuid(), 95), NODE, XidPolicy.DEFAULT, now);
    look(pending);
    reset();
    assertThat(unhealthy.level(GPU)).as("of what was read").isEqualTo(HealthLevel.NEEDS_RESET);
    look(pending);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_RESET);
    assertThat(unhealthy.signs().counting(GPU.uuid()))
        .extracting(Sign::kind)
        .containsExactlyInAnyOrder(SignKind.REMAP_PENDING, SignKind.RESET_IN_VAIN);
    assertThat(unhealthy.signs().resets(GPU.uuid()).map(Sign::text))
        .contains("a reset did not help");
    reset();
    look(pending);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_REBOOT);
    assertThat(unhealthy.signs().resets(GPU.uuid()).map(Sign::text))
        .contains("2 resets did not help");

    look(Map.of(Vital.REMAP_PENDING, 0L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Test
  void aResetThatHelpsTakesTheXidsWithIt() {
    unhealthy = unhealthy.after(XidEvent.of(GPU.uuid(), 95), NODE, XidPolicy.DEFAULT, now);
    reset();
    look(Map.of());
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Test
  void aResetThatWasRefusedDoesNotCount() {
    unhealthy = unhealthy.after(XidEvent.of(GPU.uuid(), 95), NODE, XidPolicy.DEFAULT, now);
    UnhealthyDevices before = unhealthy;
    unhealthy = unhealthy.beforeReset(List.of(GPU.uuid()), now).notReset(List.of(GPU.uuid()));
    assertThat(unhealthy).isEqualTo(before);
  }

  @Test
  void aResetThatWasRefusedLeavesTheCountOfTheResetsBefore() {
    Map<Vital, Long> pending = Map.of(Vital.REMAP_PENDING, 1L);
    look(pending);
    reset();
    look(pending);
    UnhealthyDevices before = unhealthy;
    unhealthy = unhealthy.beforeReset(List.of(GPU.uuid()), now).notReset(List.of(GPU.uuid()));
    assertThat(unhealthy).isEqualTo(before);
    assertThat(unhealthy.signs().resets(GPU.uuid()).map(Sign::value)).contains(1L);
  }

  @Test
  void theWorstOfTooManySignsAreKeptAndHowOftenTheGpuWasReset() {
    report(79);
    unhealthy = unhealthy.beforeReset(List.of(GPU.uuid()), now);
    for (int xid = 1000; xid < 1030; xid++) {
      pass(Duration.ofSeconds(1));
      report(xid);
    }
    assertThat(unhealthy.signs().of(GPU.uuid())).hasSize(16);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_REBOOT);
    assertThat(unhealthy.signs().resets(GPU.uuid())).isPresent();
    assertThat(unhealthy.signs().of(GPU.uuid()).getFirst().value())
        .as("the newest")
        .isEqualTo(1029);
  }

  @Test
  void xidThatIsRepeatedWithinTenSeconds_isOneSign_andNoChange() {
    report(999);
    UnhealthyDevices first = unhealthy;
    pass(Duration.ofMillis(9999));
    report(999);
    assertThat(unhealthy).isEqualTo(first);
    pass(Duration.ofMillis(1));
    report(999);
    assertThat(unhealthy.signs().of(GPU.uuid()))
        .containsExactly(new Sign(SignKind.XID, 999, T0, true, Optional.of(T0.plusSeconds(10))));
  }

  @Test
  void signsOfOtherKindsAndOtherNumbersStayBesideAnXid() {
    look(Map.of(Vital.UNCORRECTED_ECC, 95L));
    report(48);
    report(95);
    assertThat(unhealthy.signs().of(GPU.uuid()))
        .extracting(Sign::kind, Sign::value)
        .containsExactlyInAnyOrder(
            tuple(SignKind.UNCORRECTED_ECC, 95L),
            tuple(SignKind.XID, 48L),
            tuple(SignKind.XID, 95L));
  }

  @ParameterizedTest
  @CsvSource({
    "RECOVERY_ACTION, 1, 1",
    "RECOVERY_ACTION, 3, 0",
    "RECOVERY_ACTION, 1, 2",
    "UNCORRECTED_ECC, 2, 2",
    "UNCORRECTED_ECC, 2, 3",
  })
  void unchangedReading_orOneWithoutAReset_keepsXids(Vital vital, long before, long now) {
    report(95);
    look(Map.of(vital, before));
    look(Map.of(vital, now));
    assertThat(unhealthy.signs().of(GPU.uuid()))
        .filteredOn(Sign::isXid)
        .extracting(Sign::value)
        .containsExactly(95L);
  }

  @Test
  void aResetInTheMiddleOfWhichAnAgentEndedCountsAndIsNotKnownToHaveBeenMade() {
    Map<Vital, Long> pending = Map.of(Vital.REMAP_PENDING, 1L);
    look(pending);
    unhealthy = unhealthy.beforeReset(List.of(GPU.uuid()), now);
    look(pending);
    assertThat(unhealthy.signs().resets(GPU.uuid()))
        .hasValueSatisfying(it -> assertThat(it.counts() && !it.isMade()).isTrue());
    reset();
    assertThat(unhealthy.signs().resets(GPU.uuid()))
        .hasValueSatisfying(it -> assertThat(it.isMade()).isTrue());
  }

  private void reset() {
    unhealthy = unhealthy.beforeReset(List.of(GPU.uuid()), now).afterReset(List.of(GPU));
  }

  @Test
  void aSlowdownThatComesAndGoesStays() {
    Map<Vital, Long> hot = Map.of(Vital.CLOCK_EVENT_REASONS, 0x40L);
    Map<Vital, Long> cool = Map.of(Vital.CLOCK_EVENT_REASONS, 0x1L);
    look(hot);
    pass(Duration.ofSeconds(20));
    look(hot);
    UnhealthyDevices first = unhealthy;
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofSeconds(100));
      look(cool);
      assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.DEGRADED);
      pass(Duration.ofSeconds(100));
      look(hot);
      assertThat(unhealthy).isEqualTo(first);
    }
  }

  @Test
  void aLinkThatWasUpAndIsDownCounts() {
    look(Map.of(Vital.ACTIVE_NVLINKS, 18L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
    look(Map.of(Vital.ACTIVE_NVLINKS, 16L));
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_RESET);
    assertThat(unhealthy.health().of(GPU)).contains("2 NVLinks are down");
    UnhealthyDevices next =
        new Examination(RULES).of(NODE, vitals(Map.of(Vital.ACTIVE_NVLINKS, 16L)), unhealthy, now);
    assertThat(next).as("by the next agent").isEqualTo(unhealthy);
    look(Map.of(Vital.ACTIVE_NVLINKS, 18L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Test
  void unknownXid_degradesTheGpu_untilItWasNotReportedForAWhile() {
    report(999);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.DEGRADED);
    assertThat(unhealthy.health().of(GPU)).contains("Xid 999");
    pass(Duration.ofSeconds(200));
    report(999);
    pass(Duration.ofSeconds(299));
    look(Map.of());
    assertThat(unhealthy.health().of(GPU)).contains("Xid 999");
    pass(Duration.ofSeconds(1));
    look(Map.of());
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Test
  void aMilderXidThatFollowsDoesNotHideTheWorse() {
    report(79);
    pass(Duration.ofSeconds(1));
    report(63);
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_REBOOT);
    pass(Duration.ofDays(1));
    look(Map.of());
    assertThat(unhealthy.level(GPU)).isEqualTo(HealthLevel.NEEDS_REBOOT);
    assertThat(unhealthy.signs().of(GPU.uuid())).hasSize(1);
  }

  @Test
  void reset_clearsTheXidsBeforeIt() {
    report(95);
    look(Map.of(Vital.RECOVERY_ACTION, 1L));
    look(Map.of(Vital.RECOVERY_ACTION, 0L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);

    report(48);
    look(Map.of(Vital.UNCORRECTED_ECC, 2L));
    look(Map.of(Vital.UNCORRECTED_ECC, 0L));
    assertThat(unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Test
  void gpuThatIsNotRead_staysUnchanged() {
    look(Map.of(Vital.REMAP_PENDING, 1L));
    UnhealthyDevices before = unhealthy;
    pass(Duration.ofDays(1));
    unhealthy = examination.of(NODE, Map.of(), unhealthy, now);
    assertThat(unhealthy).isEqualTo(before);
  }

  private void report(long xid) {
    unhealthy = unhealthy.after(XidEvent.of(GPU.uuid(), xid), NODE, XidPolicy.DEFAULT, now);
  }

  private void look(Map<Vital, Long> values) {
    unhealthy = examination.of(NODE, vitals(values), unhealthy, now);
  }

  private static Map<Integer, Vitals> vitals(Map<Vital, Long> values) {
    return Map.of(GPU.index(), new Vitals(GPU.uuid(), values));
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }
}
