package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.policy.PolicyVerdict;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// What of a policy that is not ready is news.
class UnrestTest {
  private static final PolicyVerdict READY = new PolicyVerdict("ready", "Reconciled", "");
  private static final PolicyVerdict COMING_UP =
      new PolicyVerdict("notReady", "OperandNotReady", "");
  private static final PolicyVerdict FAILED = PolicyVerdict.failed("spec.driver is wrong");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final Unrest unrest = new Unrest();

  @Test
  void beingReadyForTheFirstTimeIsToldOnce() {
    assertThat(unrest.takeIn(COMING_UP, START)).isFalse();
    assertThat(unrest.takeIn(READY, START.plusSeconds(60))).isTrue();
    assertThat(unrest.takeIn(READY, START.plusSeconds(61))).isFalse();
  }

  @Test
  void whatIsReadyAgainSoonIsNoNews() {
    unrest.takeIn(READY, START);

    assertThat(unrest.takeIn(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(unrest.remaining(START.plusSeconds(3))).isEqualTo(Duration.ofSeconds(8));
    assertThat(unrest.takeIn(READY, START.plusSeconds(5))).isFalse();
    assertThat(unrest.remaining(START.plusSeconds(5))).isZero();
  }

  @Test
  void whatLastsIsToldOnceAndSoIsItsEnd() {
    unrest.takeIn(READY, START);
    unrest.takeIn(COMING_UP, START);

    assertThat(unrest.takeIn(COMING_UP, START.plus(Unrest.SHORT))).isTrue();
    assertThat(unrest.remaining(START.plus(Unrest.SHORT))).isZero();
    assertThat(unrest.takeIn(COMING_UP, START.plusSeconds(60))).isFalse();
    assertThat(unrest.takeIn(READY, START.plusSeconds(61))).isTrue();
  }

  @Test
  void anErrorIsToldAtOnceAndSoIsItsEnd() {
    unrest.takeIn(READY, START);

    assertThat(unrest.takeIn(FAILED, START)).isTrue();
    assertThat(unrest.takeIn(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(unrest.takeIn(READY, START.plusSeconds(2))).isTrue();
  }
}
