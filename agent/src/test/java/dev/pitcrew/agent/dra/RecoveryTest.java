package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// What an earlier agent has left is tried to be removed at wake-ups of the controller.
class RecoveryTest {
  private static final Duration KEEP = Duration.ofSeconds(10);
  private static final List<String> LEFT = List.of("GPU 0 is open");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final Recovery recovery = new Recovery(nanos::get);
  private final List<Duration> tries = new ArrayList<>();

  /// Wakes the controller each 100 ms, as a burst of events does.
  private void wakeFor(Duration time, List<String> left) {
    long began = nanos.get();
    for (long passed = 0; passed < time.toMillis(); passed += 100) {
      nanos.set(began + Duration.ofMillis(passed).toNanos());
      long now = passed;
      recovery.run(() -> {
        tries.add(Duration.ofMillis(now));
        return left;
      });
    }
    nanos.set(began + time.toNanos());
  }

  @Test
  void triesBackOff() {
    wakeFor(Duration.ofMinutes(2), LEFT);

    assertThat(tries)
        .extracting(Duration::toSeconds)
        .containsExactly(0L, 1L, 3L, 7L, 15L, 31L, 63L);
  }

  @Test
  void nextTryIsDueInTime() {
    assertThat(recovery.untilNext(KEEP)).isEqualTo(KEEP);
    recovery.run(() -> LEFT);
    assertThat(recovery.untilNext(KEEP)).isEqualTo(Duration.ofSeconds(1));
    wakeFor(Duration.ofSeconds(70), LEFT);
    assertThat(recovery.untilNext(KEEP)).isEqualTo(KEEP);
  }

  @Test
  void nothingIsTriedOnceNothingIsLeft() {
    recovery.run(() -> LEFT);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    wakeFor(Duration.ofMinutes(2), List.of());

    assertThat(tries).hasSize(1);
    assertThat(recovery.untilNext(KEEP)).isEqualTo(KEEP);
  }

  @Test
  void anotherProcessMayHaveLeftSomething() {
    recovery.run(() -> LEFT);
    recovery.restart();
    wakeFor(Duration.ofMillis(100), List.of());

    assertThat(tries).hasSize(1);
  }
}
