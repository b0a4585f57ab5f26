package dev.pitcrew.agent.mig;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MigRetryTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final MigLayoutChoice HALVES =
      new MigLayoutChoice.Named("halves", Optional.empty());
  private static final MigLayoutChoice QUARTERS =
      new MigLayoutChoice.Named("quarters", Optional.empty());

  private final MigRetry retry = new MigRetry();

  @Test
  void aLayoutThatFailsIsTriedMoreAndMoreSeldom() {
    var pauses = new ArrayList<Long>();
    Instant now = NOW;
    for (int i = 0; i < 8; i++) {
      Instant until = retry.failed(HALVES, now);
      pauses.add(Duration.between(now, until).toMinutes());
      now = until;
    }

    assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L);
  }

  @Test
  void failedLayout_isDelayed_andAnotherIsNot() {
    retry.failed(HALVES, NOW);

    assertThat(retry.rest(HALVES, NOW.plusSeconds(20))).contains(Duration.ofSeconds(40));
    assertThat(retry.rest(HALVES, NOW.plusSeconds(60))).isEmpty();
    assertThat(retry.rest(QUARTERS, NOW)).isEmpty();
  }

  @Test
  void anotherLayout_andASuccess_resetTheBackoff() {
    retry.failed(HALVES, NOW);
    retry.failed(HALVES, NOW);

    assertThat(retry.failed(QUARTERS, NOW)).isEqualTo(NOW.plusSeconds(60));
    retry.failed(QUARTERS, NOW);
    retry.succeeded();
    assertThat(retry.rest(QUARTERS, NOW)).isEmpty();
    assertThat(retry.failed(QUARTERS, NOW)).isEqualTo(NOW.plusSeconds(60));
  }
}
