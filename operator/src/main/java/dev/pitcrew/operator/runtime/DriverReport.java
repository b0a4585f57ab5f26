package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.driver.DriverVerdict;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Says on each NVIDIADriver what has come of it.
///
/// For use by one thread at a time.
final class DriverReport {
  private record Reporter(PolicyStatusWriter status, ProgressDebounce debounce) {}

  private final Applier applier;
  private final Events events;
  private final HostDrivers hostDrivers;
  private final InstantSource clock;
  private final Map<String, Reporter> byUid = new HashMap<>();

  DriverReport(Applier applier, Events events, HostDrivers hostDrivers, InstantSource clock) {
    this.hostDrivers = hostDrivers;
    this.applier = applier;
    this.events = events;
    this.clock = clock;
  }

  /// Writes the status if it differs.
  ///
  /// @return when to look again, or zero
  Duration write(GenericKubernetesResource driver, DriverVerdict verdict) {
    Reporter reporter = byUid.computeIfAbsent(driver.getMetadata().getUid(), _ -> reporter());
    Instant now = clock.instant();
    boolean emits = reporter.debounce().takeIn(verdict, now);
    Duration pause =
        reporter
            .status()
            .write(
                driver,
                verdict,
                hostDrivers.condition(driver, wantedBy(driver)).stream().toList(),
                emits);
    if (!pause.isPositive()) {
      reporter.debounce().written(verdict, emits);
    }
    Duration untilLasting = reporter.debounce().remaining(now);
    return pause.isPositive() ? pause : untilLasting;
  }

  /// Whether it has not been ready for longer than a moment.
  boolean lasts(GenericKubernetesResource driver, DriverVerdict verdict) {
    return !verdict.isReady()
        && Optional.ofNullable(byUid.get(driver.getMetadata().getUid()))
            .filter(reporter -> reporter.debounce().remaining(clock.instant()).isZero())
            .isPresent();
  }

  /// Forgets all but these.
  void keep(Set<String> uids) {
    byUid.keySet().retainAll(uids);
  }

  private static String wantedBy(GenericKubernetesResource driver) {
    return driver.getKind() + " " + driver.getMetadata().getName();
  }

  private Reporter reporter() {
    return new Reporter(
        new PolicyStatusWriter(applier, events, clock, Optional.empty()), new ProgressDebounce());
  }
}
