package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BreathTest {
  private static final Duration PLAN = Duration.ofMillis(40);

  private long now = Long.MAX_VALUE - Duration.ofHours(1).toNanos();
  private final Breath breath = new Breath(() -> now);

  @Test
  void leavesFiveTimesAsLongAsAPlanTookToOthers() {
    plan();

    assertThat(breath.left()).isEqualTo(Duration.ofMillis(200));
    pass(Duration.ofMillis(150));
    assertThat(breath.left()).isEqualTo(Duration.ofMillis(50));
    assertThat(breath.leftAtLeast(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    pass(Duration.ofMillis(100));
    assertThat(breath.left()).isZero();
  }

  @Test
  void plansForAPlaceAtOnce() {
    plan();

    assertThat(breath.placeFreed()).isZero();
    assertThat(breath.isPlaceFree()).isTrue();
    plan();
    assertThat(breath.isPlaceFree()).isFalse();
  }

  @Test
  void leavesHalfOfTheTimeToOthersWherePlacesGetFreeAllTheTime() {
    long begin = now;
    int plans = 100;
    for (int i = 0; i < plans; i++) {
      pass(breath.placeFreed());
      plan();
    }

    long rest = now - begin - plans * PLAN.toNanos();
    assertThat(Duration.ofNanos(rest))
        .isBetween(PLAN.multipliedBy(plans - 10), PLAN.multipliedBy(plans));
  }

  @Test
  void forgivesNothingThatIsNotOwed() {
    plan();
    pass(Duration.ofHours(2)); // the clock passes its largest number

    for (int i = 0; i < 7; i++) {
      assertThat(breath.placeFreed()).isZero();
      plan();
    }
    assertThat(breath.placeFreed()).isPositive();
  }

  private void plan() {
    breath.begin();
    pass(PLAN);
    breath.planned();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
