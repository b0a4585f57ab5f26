package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// When an object that another keeps changing may be written again.
class ContentionTest {
  private static final ObjectKey KEY = ObjectKey.of("v1", "ConfigMap", "n", "c");
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private Instant now = BEGIN;
  private int version;
  private final Contention contention = new Contention(() -> now);

  @Test
  void contestedObject_isWrittenAtMostTwiceAMinuteInTheEnd() {
    List<Long> pauses = new ArrayList<>();
    for (var write = 0; write < 12; write++) {
      contention.wrote(KEY, "wanted", nextVersion());
      var held = contention.heldUntil(KEY, "wanted");
      pauses.add(held.map(it -> Duration.between(now, it).toSeconds()).orElse(0L));
      now = held.orElse(now);
    }

    assertThat(pauses).containsExactly(0L, 0L, 0L, 1L, 2L, 4L, 8L, 16L, 30L, 30L, 30L, 30L);
  }

  @Test
  void changedContent_isWrittenAtOnce() {
    contest();

    assertThat(contention.heldUntil(KEY, "wanted now")).isEmpty();
    contention.wrote(KEY, "wanted now", nextVersion());
    assertThat(contention.heldUntil(KEY, "wanted now")).isEmpty();
  }

  @Test
  void anotherObjectIsWrittenAtOnce() {
    contest();

    assertThat(contention.heldUntil(ObjectKey.of("v1", "ConfigMap", "n", "d"), "wanted")).isEmpty();
  }

  @Test
  void contentionAfterALongPause_isCountedFromZero() {
    contest();
    now = now.plus(Duration.ofMinutes(11));

    contention.wrote(KEY, "wanted", nextVersion());

    assertThat(contention.heldUntil(KEY, "wanted")).isEmpty();
  }

  @Test
  void objectThatTheOperatorDeleted_isWrittenAtOnce() {
    contest();
    contention.forget(KEY);

    assertThat(contention.heldUntil(KEY, "wanted")).isEmpty();
  }

  @Test
  void writesThatChangeNothingAreNoContest() {
    for (var write = 0; write < 10; write++) {
      contention.wrote(KEY, "wanted", "7");
    }

    assertThat(contention.heldUntil(KEY, "wanted")).isEmpty();
  }

  private String nextVersion() {
    version++;
    return Integer.toString(version);
  }

  private void contest() {
    for (var write = 0; write < 10; write++) {
      contention.wrote(KEY, "wanted", nextVersion());
    }
    assertThat(contention.heldUntil(KEY, "wanted")).isPresent();
  }
}
