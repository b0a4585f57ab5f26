package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.MaintenanceWindowSpec;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The times at which a node may begin.
record MaintenanceWindows(List<MaintenanceWindowSpec> windows) {
  /// A window opens at least once in this time, and lasts no longer.
  private static final int WEEK = 7;

  /// Why no node may begin now, if none may.
  Optional<Hold> hold(Instant now) {
    if (windows.isEmpty() || windows.stream().anyMatch(window -> isOpen(window, now))) {
      return Optional.empty();
    }
    Optional<Instant> next =
        windows.stream()
            .flatMap(window -> openings(window, now))
            .filter(now::isBefore)
            .sorted()
            .findFirst();
    return Optional.of(
        new Hold(
            "no maintenance window is open"
                + next.map(at -> "; the next opens at " + at).orElse(""),
            next,
            Stream.concat(
                    next.stream()
                        .map(_ ->
                            "it begins when the window opens (FleetPolicy spec.rollout.maintenanceWindows)"),
                    unknownZones().stream())
                .collect(Collectors.joining("; "))));
  }

  /// A window in one of them never opens.
  private Optional<String> unknownZones() {
    String zones =
        windows.stream()
            .filter(window -> zone(window).isEmpty())
            .map(MaintenanceWindowSpec::timeZoneOrDefault)
            .distinct()
            .collect(Collectors.joining(", "));
    return zones.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "correct the time zones in FleetPolicy spec.rollout.maintenanceWindows: " + zones);
  }

  private static boolean isOpen(MaintenanceWindowSpec window, Instant now) {
    return openings(window, now)
        .anyMatch(start -> !now.isBefore(start) && now.isBefore(start.plus(window.duration())));
  }

  /// Each time it opens from a week before to a week after; never in an unknown time zone.
  private static Stream<Instant> openings(MaintenanceWindowSpec window, Instant now) {
    return zone(window).stream()
        .flatMap(zone -> {
          LocalDate today = ZonedDateTime.ofInstant(now, zone).toLocalDate();
          return today
              .minusDays(WEEK)
              .datesUntil(today.plusDays(WEEK + 1L))
              .filter(day -> opensOn(window, day))
              .map(day -> ZonedDateTime.of(day, window.opensAt(), zone).toInstant());
        });
  }

  private static boolean opensOn(MaintenanceWindowSpec window, LocalDate day) {
    return window.days().isEmpty()
        || window.days().stream().anyMatch(it -> it.dayOfWeek() == day.getDayOfWeek());
  }

  private static Optional<ZoneId> zone(MaintenanceWindowSpec window) {
    try {
      return Optional.of(ZoneId.of(window.timeZoneOrDefault()));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
