package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class WaitDeadlinesTest {
  private Instant now = Instant.parse("2026-11-23T08:00:00Z");
  private final WaitDeadlines deadlines =
      new WaitDeadlines(Limits.withHolders(Duration.ofSeconds(90)), () -> now);

  @Test
  void holdersAreWaitedForOnceHoweverOftenOthersCome() {
    assertLeft(For.GPU_HOLDERS, 90);
    pass(60);
    deadlines.goesOn();
    assertLeft(For.OPERANDS, 300);
    pass(20);
    assertLeft(For.GPU_HOLDERS, 10);
  }

  @Test
  void waitForCounts_restartsAfterAnotherStep() {
    assertLeft(For.NO_USER, 30);
    pass(29);
    deadlines.goesOn();
    assertLeft(For.NO_USER, 30);
    pass(29);
    assertLeft(For.GPU_HOLDERS, 90);
    pass(180);
    assertLeft(For.KERNEL, 120);
    assertLeft(For.NO_USER, 30);
    pass(29);
    assertLeft(For.NO_USER, 1);
  }

  @Test
  void waitForNoUser_beginsOnceAUserWasSeen() {
    assertLeft(For.NO_USER, 30);
    pass(10);
    assertLeft(For.KERNEL, 110);
    pass(19);
    assertLeft(For.NO_USER, 30);
  }

  @Test
  void usersThatComeAndGo_areAwaitedForALimitedTime() {
    assertLeft(For.KERNEL, 120);
    pass(100);
    assertLeft(For.NO_USER, 30);
    pass(20);
    assertLeft(For.KERNEL, 0);
  }

  private void assertLeft(For what, int seconds) {
    assertThat(deadlines.left(what)).as("%s", what).isEqualTo(Duration.ofSeconds(seconds));
  }

  private void pass(int seconds) {
    now = now.plusSeconds(seconds);
  }
}
