package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.policy.PolicyVerdict;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// Which states of a policy that is not ready are reported.
class ProgressDebounceTest {
  private static final PolicyVerdict READY = new PolicyVerdict("ready", "Reconciled", "");
  private static final PolicyVerdict COMING_UP =
      new PolicyVerdict("notReady", "OperandNotReady", "");
  private static final PolicyVerdict FAILED = PolicyVerdict.failed("spec.driver is wrong");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final ProgressDebounce debounce = new ProgressDebounce();

  @Test
  void firstReadiness_isReportedOnce() {
    assertThat(isReported(COMING_UP, START)).isFalse();
    assertThat(isReported(READY, START.plusSeconds(60))).isTrue();
    assertThat(isReported(READY, START.plusSeconds(61))).isFalse();
  }

  @Test
  void shortProgress_isNotReported() {
    isReported(READY, START);

    assertThat(isReported(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(debounce.remaining(START.plusSeconds(3))).isEqualTo(Duration.ofSeconds(8));
    assertThat(isReported(READY, START.plusSeconds(5))).isFalse();
    assertThat(debounce.remaining(START.plusSeconds(5))).isZero();
  }

  @Test
  void lastingProgress_isReportedOnce_andSoIsItsEnd() {
    isReported(READY, START);
    isReported(COMING_UP, START);

    assertThat(isReported(COMING_UP, START.plus(ProgressDebounce.SHORT))).isTrue();
    assertThat(debounce.remaining(START.plus(ProgressDebounce.SHORT))).isZero();
    assertThat(isReported(COMING_UP, START.plusSeconds(60))).isFalse();
    assertThat(isReported(READY, START.plusSeconds(61))).isTrue();
  }

  @Test
  void verdictThatCouldNotBeWritten_isReportedAgain() {
    isReported(READY, START);

    assertThat(debounce.takeIn(FAILED, START)).isTrue();
    assertThat(debounce.takeIn(COMING_UP, START.plus(ProgressDebounce.SHORT))).isTrue();
  }

  @Test
  void error_isReportedAtOnce_andSoIsItsEnd() {
    isReported(READY, START);

    assertThat(isReported(FAILED, START)).isTrue();
    assertThat(isReported(COMING_UP, START.plusSeconds(1))).isFalse();
    assertThat(isReported(READY, START.plusSeconds(2))).isTrue();
  }

  /// Takes a verdict in and has it written.
  private boolean isReported(PolicyVerdict verdict, Instant now) {
    boolean emits = debounce.takeIn(verdict, now);
    debounce.written(verdict, emits);
    return emits;
  }
}
