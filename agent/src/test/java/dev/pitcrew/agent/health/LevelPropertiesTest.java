package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Vital;
import dev.pitcrew.hardware.gpu.Vitals;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// Whatever happens to a GPU, in whatever order.
class LevelPropertiesTest {
  private static final HealthRules RULES = new HealthRules(Duration.ofMinutes(5));
  private static final Inventory NODE = Nodes.of(Nodes.divided(0, 2));
  private static final Gpu GPU = NODE.gpus().getFirst();

  /// The clocks are held down by the temperature.
  private static final long SLOWED = 0x40;

  /// @param xid reported before the reading; none if it is 0
  record Step(long seconds, long xid, Map<Vital, Long> vitals) {}

  @Property
  void gpuWithoutEvidenceThatWasReset_isHealthyInTheEnd(@ForAll("steps") List<Step> steps) {
    var course = new Course(steps);
    course.add(new Step(1, 0, Map.of(Vital.RECOVERY_ACTION, 1L)));
    course.add(new Step(1, 0, Map.of()));
    course.add(new Step(301, 0, Map.of()));

    assertThat(course.unhealthy).isEqualTo(UnhealthyDevices.NONE);
  }

  @Property
  void theLevelIsNeverBetterThanWhatWasReadLast(@ForAll("steps") List<Step> steps) {
    var course = new Course(steps);
    Map<Vital, Long> last = steps.getLast().vitals();
    for (Vital vital : last.keySet()) {
      assertThat(course.unhealthy.level(GPU))
          .as("%s", vital)
          .isGreaterThanOrEqualTo(worst(vital, last));
    }
    course.add(new Step(11, 0, last));
    if (last.getOrDefault(Vital.CLOCK_EVENT_REASONS, 0L) == SLOWED) {
      assertThat(course.unhealthy.level(GPU)).isGreaterThanOrEqualTo(HealthLevel.DEGRADED);
    }
    if (course.unhealthy.level(GPU).compareTo(HealthLevel.NEEDS_RESET) >= 0) {
      assertThat(course.unhealthy.health().of(GPU)).isPresent();
    }
  }

  /// The level that a reading leads to alone, at once.
  private static HealthLevel worst(Vital vital, Map<Vital, Long> read) {
    long value = read.getOrDefault(vital, 0L);
    if (value == 0) {
      return HealthLevel.HEALTHY;
    }
    return switch (vital) {
      case UNCORRECTED_ECC, REMAP_PENDING, RETIREMENT_PENDING -> HealthLevel.NEEDS_RESET;
      case REMAP_FAILED -> HealthLevel.REPLACE;
      case RECOVERY_ACTION ->
          value == 1
              ? HealthLevel.NEEDS_RESET
              : value == 2 ? HealthLevel.NEEDS_REBOOT : HealthLevel.DEGRADED;
      default -> HealthLevel.HEALTHY;
    };
  }

  @Property
  void lookingAgainAtOnceChangesNothing(@ForAll("steps") List<Step> steps) {
    var course = new Course(steps);
    UnhealthyDevices before = course.unhealthy;
    course.add(new Step(0, 0, steps.getLast().vitals()));
    assertThat(course.unhealthy).isEqualTo(before);
  }

  @Property
  void evidenceIsBounded(@ForAll("steps") List<Step> steps) {
    var course = new Course(steps);
    for (int xid = 1000; xid < 1100; xid++) {
      course.add(new Step(0, xid, Map.of()));
    }
    assertThat(course.unhealthy.signs().of(GPU.uuid())).hasSizeLessThanOrEqualTo(Signs.MOST);
  }

  private static final class Course {
    private final Examination examination = new Examination(RULES);
    private Instant now = Instant.EPOCH;
    private UnhealthyDevices unhealthy = UnhealthyDevices.NONE;

    private Course(List<Step> steps) {
      steps.forEach(this::add);
    }

    private void add(Step step) {
      now = now.plusSeconds(step.seconds());
      if (step.xid() != 0) {
        unhealthy =
            unhealthy.after(XidEvent.of(GPU.uuid(), step.xid()), NODE, XidPolicy.DEFAULT, now);
      }
      unhealthy =
          examination.of(NODE, Map.of(0, new Vitals(GPU.uuid(), step.vitals())), unhealthy, now);
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> seconds = Arbitraries.longs().between(0, 400);
    Arbitrary<Long> xids = Arbitraries.of(0L, 0L, 13L, 48L, 63L, 79L, 94L, 95L, 999L);
    return Combinators.combine(seconds, xids, vitals())
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(30);
  }

  private static Arbitrary<Map<Vital, Long>> vitals() {
    return Arbitraries.maps(
            Arbitraries.of(
                Vital.UNCORRECTED_ECC,
                Vital.REMAP_PENDING,
                Vital.REMAP_FAILED,
                Vital.RETIREMENT_PENDING,
                Vital.RECOVERY_ACTION,
                Vital.CLOCK_EVENT_REASONS),
            Arbitraries.of(0L, 1L, 2L, SLOWED))
        .map(values -> values.isEmpty() ? Map.<Vital, Long>of() : new EnumMap<>(values));
  }
}
