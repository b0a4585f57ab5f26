package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaitNotesTest {
  private static final Duration MOMENT = Duration.ofSeconds(5);
  private static final Optional<String> NOTHING = Optional.empty();

  private Instant now = Instant.parse("2026-11-23T08:00:00Z");
  private final WaitNotes notes = new WaitNotes(() -> now);

  @Test
  void shortWait_isNotAnnotated() {
    assertThat(notes.untilSaid("pod a", NOTHING)).contains(MOMENT);
    pass(3);
    assertThat(notes.untilSaid("pod b", NOTHING)).contains(Duration.ofSeconds(2));
    notes.isOver();
    pass(10);
    assertThat(notes.untilSaid("pod c", NOTHING)).contains(MOMENT);
  }

  @Test
  void wait_isAnnotatedOnce_andAnotherReasonAMomentLater() {
    notes.untilSaid("pods a, b", NOTHING);
    pass(5);
    assertThat(notes.untilSaid("pods a, b", NOTHING)).contains(Duration.ZERO);
    notes.wasSaid();
    pass(1);
    assertThat(notes.untilSaid("pods a, b", Optional.of("pods a, b"))).isEmpty();
    assertThat(notes.untilSaid("pod b", Optional.of("pods a, b"))).contains(Duration.ofSeconds(4));
  }

  @Test
  void annotationOfAnotherManager_isCorrectedAtOnce() {
    assertThat(notes.untilSaid("pod a", Optional.of("the host"))).contains(Duration.ZERO);
  }

  private void pass(int seconds) {
    now = now.plusSeconds(seconds);
  }
}
