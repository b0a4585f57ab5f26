package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cluster.EventLedger.Series;
import dev.pitcrew.agent.cluster.ObjectEvent.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which happenings are one Event, which one is next, and what is only counted.
class EventLedgerTest {
  private final EventLedger ledger = new EventLedger();
  private Instant now = Instant.parse("2026-11-23T08:00:00Z");

  @ParameterizedTest
  @CsvSource({"359, 2", "360, 1"})
  void repetitionWithinSixMinutes_isCountedInTheSameEvent(int seconds, int count) {
    add("x");
    Series first = emit();
    now = now.plusSeconds(seconds);
    add("x");

    Series again = ledger.due().orElseThrow();
    assertThat(again.count()).isEqualTo(count);
    assertThat(again.last()).isEqualTo(now);
    assertThat(again.first()).isEqualTo(count == 1 ? now : first.first());
    assertThat(again.name().equals(first.name())).isEqualTo(count > 1);
  }

  @Test
  void unwrittenEvent_countsLaterRepetitions() {
    add("x");
    now = now.plus(Duration.ofHours(1));
    add("x");

    assertThat(emit().count()).isEqualTo(2);
    assertThat(ledger.due()).isEmpty();
  }

  @Test
  void aNewEventComesBeforeARepeatedOne() {
    add("storm");
    emit();
    add("storm");
    add("new");

    assertThat(emit().event().note()).isEqualTo("new");
    assertThat(emit().event().note()).isEqualTo("storm");
    assertThat(ledger.due()).isEmpty();
  }

  @Test
  void whatDoesNotFitIsOnlyCounted() {
    for (int i = 1; i <= EventLedger.WAITING; i++) {
      add("different " + i);
    }
    assertThat(ledger.lost()).isZero();
    add("one more");
    add("and another");
    assertThat(ledger.lost()).isEqualTo(2);

    ledger.reported(ledger.due().orElseThrow(), 2);
    assertThat(ledger.lost()).isZero();
    add("there is room again");
    assertThat(ledger.lost()).isZero();
  }

  @Test
  void theSameOccurrenceIsOneEventWithOneName() {
    ledger.add(event("x"), "the first", now);
    ledger.add(event("x"), "the first", now.plusSeconds(1));
    Series first = emit();
    assertThat(first.count()).isEqualTo(1);
    assertThat(first.name()).matches("gpu-node\\.[0-9a-f]{32}");

    var next = new EventLedger();
    next.add(event("x"), "the first", now.plusSeconds(9));
    assertThat(next.due().map(Series::name)).as("of the next process").contains(first.name());
    next = new EventLedger();
    next.add(event("x"), "the second", now);
    assertThat(next.due().map(Series::name)).isNotEqualTo(Optional.of(first.name()));
  }

  @Test
  void anEventThatVanishedIsWrittenUnderAnotherName() {
    add("x");
    Series first = emit();
    now = now.plusSeconds(1);
    ledger.vanished(first, now);

    Series again = ledger.due().orElseThrow();
    assertThat(again.name()).isNotEqualTo(first.name());
    assertThat(again.count()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {199, 200})
  void theNameOfAnEventFitsAndIsLegal(int letters) {
    var subject = new Subject("v1", "Node", "", "a".repeat(letters) + "-a", "");
    ledger.add(new ObjectEvent(subject, ObjectEvent.Type.NORMAL, "Reason", "x"), now);

    String stem = emit().name().replaceFirst("\\.[0-9a-f]{32}$", "");
    assertThat(stem).isEqualTo("a".repeat(letters)).hasSizeLessThanOrEqualTo(200);
  }

  private void add(String note) {
    ledger.add(event(note), now);
  }

  private Series emit() {
    Series due = ledger.due().orElseThrow();
    ledger.reported(due, 0);
    return due;
  }

  private static ObjectEvent event(String note) {
    var subject = new Subject("v1", "Node", "", "gpu-node", "u-1");
    return new ObjectEvent(subject, ObjectEvent.Type.WARNING, "Broken", note);
  }
}
