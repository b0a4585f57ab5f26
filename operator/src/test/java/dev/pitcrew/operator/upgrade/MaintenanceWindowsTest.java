package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When nodes may begin. In Europe/Berlin clocks go from 02:00 to 03:00 on 2026-03-29, and from
/// 03:00 to 02:00 on 2026-10-25.
class MaintenanceWindowsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # a Sunday           | window                                                                | next opening, or open
          2026-11-22T08:00:00Z | {start: '08:00', durationMinutes: 60}                                 | open
          2026-11-22T08:59:59Z | {start: '08:00', durationMinutes: 60}                                 | open
          2026-11-22T09:00:00Z | {start: '08:00', durationMinutes: 60}                                 | 2026-11-23T08:00:00Z
          2026-11-22T07:59:59Z | {start: '08:00', durationMinutes: 60}                                 | 2026-11-22T08:00:00Z
          2026-11-22T01:30:00Z | {days: [Saturday], start: '22:30', durationMinutes: 240}              | open
          2026-11-22T02:30:00Z | {days: [Saturday], start: '22:30', durationMinutes: 240}              | 2026-11-28T22:30:00Z
          2026-11-22T08:00:00Z | {days: [Sunday], start: '07:00', durationMinutes: 30}                 | 2026-11-29T07:00:00Z
          2026-11-22T08:00:00Z | {days: [Monday, Friday], start: '07:00', durationMinutes: 30}         | 2026-11-23T07:00:00Z
          2026-11-21T21:45:00Z | {start: '22:30', durationMinutes: 60, timeZone: Europe/Berlin}        | open
          2026-07-21T21:45:00Z | {start: '22:30', durationMinutes: 60, timeZone: Europe/Berlin}        | 2026-07-22T20:30:00Z
          2026-07-21T20:45:00Z | {start: '22:30', durationMinutes: 60, timeZone: Europe/Berlin}        | open
          2026-11-22T08:00:00Z | {days: [Sunday], start: '19:00', durationMinutes: 90, timeZone: Pacific/Auckland} | 2026-11-29T06:00:00Z
          2026-11-22T07:00:00Z | {days: [Sunday], start: '19:00', durationMinutes: 90, timeZone: Pacific/Auckland} | open
          2026-03-29T01:15:00Z | {start: '02:30', durationMinutes: 60, timeZone: Europe/Berlin}        | 2026-03-29T01:30:00Z
          2026-03-29T01:45:00Z | {start: '02:30', durationMinutes: 60, timeZone: Europe/Berlin}        | open
          2026-10-25T00:45:00Z | {start: '02:30', durationMinutes: 60, timeZone: Europe/Berlin}        | open
          2026-10-25T01:45:00Z | {start: '02:30', durationMinutes: 60, timeZone: Europe/Berlin}        | 2026-10-26T01:30:00Z
          """)
  void aWindow(Instant now, String window, String expected) {
    Optional<Hold> hold =
        new MaintenanceWindows(
                Rules.rollout("{maintenanceWindows: [" + window + "]}").maintenanceWindows())
            .hold(now);

    if (expected.equals("open")) {
      assertThat(hold).isEmpty();
    } else {
      assertThat(hold.orElseThrow().until()).contains(Instant.parse(expected));
      assertThat(hold.orElseThrow().why()).endsWith("the next opens at " + expected);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          []                                                                                     | may begin
          [{start: '07:00', durationMinutes: 1}, {start: '08:00', durationMinutes: 1}]           | may begin
          [{start: '07:00', durationMinutes: 1}, {start: '06:00', durationMinutes: 1}]           | 2026-11-23T06:00:00Z
          [{start: '08:00', durationMinutes: 1, timeZone: Mars/Olympus}]                         | correct the time zones
          [{start: '08:00', durationMinutes: 1, timeZone: Nowhere}, {start: '08:00', durationMinutes: 1}] | may begin
          [{start: '08:00', durationMinutes: 1, timeZone: Nowhere}, {start: '09:00', durationMinutes: 1}] | the next opens at 2026-11-22T09:00:00Z
          [{start: '08:00', durationMinutes: 1, timeZone: Nowhere}, {start: '09:00', durationMinutes: 1}] | maintenanceWindows: Nowhere
          [{start: '09:00', durationMinutes: 1, timeZone: Asia/Tokyo}, {start: '08:00', durationMinutes: 1, timeZone: Nowhere}] | maintenanceWindows: Nowhere
          """)
  void severalWindows(String windows, String expected) {
    Optional<Hold> hold =
        new MaintenanceWindows(
                Rules.rollout("{maintenanceWindows: " + windows + "}").maintenanceWindows())
            .hold(Instant.parse("2026-11-22T08:00:00Z"));

    assertThat(hold.map(it -> it.why() + "; " + it.next()).orElse("may begin")).contains(expected);
  }
}
