package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlanRateLimiterTest {
  private static final Duration PLAN = Duration.ofMillis(40);

  private long now = Long.MAX_VALUE - Duration.ofHours(1).toNanos();
  private final PlanRateLimiter limiter = new PlanRateLimiter(() -> now);

  @Test
  void leavesFiveTimesAsLongAsAPlanTookToOthers() {
    plan();

    assertThat(limiter.left()).isEqualTo(Duration.ofMillis(200));
    pass(Duration.ofMillis(150));
    assertThat(limiter.left()).isEqualTo(Duration.ofMillis(50));
    assertThat(limiter.leftAtLeast(Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
    pass(Duration.ofMillis(100));
    assertThat(limiter.left()).isZero();
  }

  @Test
  void plansForAPlaceAtOnce() {
    plan();

    assertThat(limiter.placeFreed()).isZero();
    assertThat(limiter.isPlaceFree()).isTrue();
    plan();
    assertThat(limiter.isPlaceFree()).isFalse();
  }

  @Test
  void leavesHalfOfTheTimeToOthersWherePlacesGetFreeAllTheTime() {
    long begin = now;
    int plans = 100;
    for (int i = 0; i < plans; i++) {
      pass(limiter.placeFreed());
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
      assertThat(limiter.placeFreed()).isZero();
      plan();
    }
    assertThat(limiter.placeFreed()).isPositive();
  }

  private void plan() {
    limiter.begin();
    pass(PLAN);
    limiter.planned();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
