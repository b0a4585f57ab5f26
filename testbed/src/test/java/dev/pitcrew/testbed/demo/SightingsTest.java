package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SightingsTest {
  private final AtomicReference<String> labels = new AtomicReference<>("8");
  private final AtomicReference<String> allocatable = new AtomicReference<>("8");
  private final Sightings sightings =
      new Sightings(Stopwatch.start())
          .of("labels", () -> labels.get().equals("32"), labels::get)
          .of("allocatable", () -> allocatable.get().equals("32"), allocatable::get);

  @Test
  void eachFactIsSeenWhenItFirstHolds() {
    labels.set("32");
    assertThat(sightings.areAllSeen()).isFalse();
    assertThat(sightings.after("labels")).isPresent();
    assertThat(sightings.after("allocatable")).isEmpty();

    labels.set("8");
    allocatable.set("32");
    assertThat(sightings.areAllSeen()).isTrue();
  }

  @Test
  void missingSighting_failsWithTheCurrentState() {
    labels.set("32");
    sightings.areAllSeen();
    var checks = new Checks();

    sightings.check(checks, "Look at the agent.");

    assertThat(checks.failed())
        .singleElement()
        .satisfies(check ->
            assertThat(check.explanation())
                .contains("seen: labels, allocatable", "found not allocatable (8)", "Look at the"));
    assertThat(sightings.table("AFTER THE EDIT").rows().getLast())
        .isEqualTo(List.of("allocatable", "not seen", "8"));
  }
}
