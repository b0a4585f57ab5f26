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
    assertThat(told(COMING_UP, START)).isFalse();
    assertThat(told(READY, START.plusSeconds(60))).isTrue();
    assertThat(told(READY, START.plusSeconds(61))).isFalse();
  }

  @Test
  void whatIsReadyAgainSoonIsNoNews() {
    told(READY, START);

    assertThat(told(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(unrest.remaining(START.plusSeconds(3))).isEqualTo(Duration.ofSeconds(8));
    assertThat(told(READY, START.plusSeconds(5))).isFalse();
    assertThat(unrest.remaining(START.plusSeconds(5))).isZero();
  }

  @Test
  void whatLastsIsToldOnceAndSoIsItsEnd() {
    told(READY, START);
    told(COMING_UP, START);

    assertThat(told(COMING_UP, START.plus(Unrest.SHORT))).isTrue();
    assertThat(unrest.remaining(START.plus(Unrest.SHORT))).isZero();
    assertThat(told(COMING_UP, START.plusSeconds(60))).isFalse();
    assertThat(told(READY, START.plusSeconds(61))).isTrue();
  }

  @Test
  void whatCouldNotBeWrittenIsToldAgain() {
    told(READY, START);

    assertThat(unrest.takeIn(FAILED, START)).isTrue();
    assertThat(unrest.takeIn(COMING_UP, START.plus(Unrest.SHORT))).isTrue();
  }

  @Test
  void anErrorIsToldAtOnceAndSoIsItsEnd() {
    told(READY, START);

    assertThat(told(FAILED, START)).isTrue();
    assertThat(told(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(told(READY, START.plusSeconds(2))).isTrue();
  }

  /// Takes a verdict in and has it written.
  private boolean told(PolicyVerdict verdict, Instant now) {
    boolean tell = unrest.takeIn(verdict, now);
    unrest.written(verdict, tell);
    return tell;
  }
}
