package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.driver.DriverVerdict;
import dev.pitcrew.operator.runtime.DriverApply.Result;
import dev.pitcrew.operator.runtime.DriverReading.Planned;
import dev.pitcrew.operator.runtime.DriverReading.Seen;
import dev.pitcrew.operator.runtime.upgrade.DriverUpgrades;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the cluster to what its NVIDIADrivers say. They are few and share nodes and objects, so
/// one pass goes over all of them; what is wrong with one is said there and holds up no other.
final class DriverReconciler implements AutoCloseable {
  /// How long to wait before the caches are looked at again; the API server is not asked for it.
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(DriverReconciler.class);

  private final DriverReading reading;
  private final DriverApply apply;
  private final NodeReconciler nodes;
  private final DriverUpgrades upgrades;
  private final DriverReport report;

  DriverReconciler(
      DriverReading reading,
      DriverApply apply,
      NodeReconciler nodes,
      DriverUpgrades upgrades,
      DriverReport report) {
    this.reading = reading;
    this.apply = apply;
    this.nodes = nodes;
    this.upgrades = upgrades;
    this.report = report;
  }

  Outcome reconcile() {
    Optional<String> unknown = reading.unknown();
    if (unknown.isPresent()) {
      return Outcome.wait(UNTIL_KNOWN, unknown.get());
    }
    try {
      Seen seen = reading.read();
      nodes.followDrivers(seen.fleet().owners());
      report.keep(
          seen.planned().stream()
              .map(it -> it.resource().getMetadata().getUid())
              .collect(Collectors.toSet()));
      return seen.enabled() ? carryOut(seen) : disable(seen);
    } catch (UnreadableResource e) {
      // The ClusterPolicy says so on itself; what runs stays.
      return Outcome.blocked("SpecInvalid", Objects.requireNonNullElse(e.getMessage(), ""));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.failed(e);
    }
  }

  @Override
  public void close() {
    apply.close();
  }

  /// What they have brought stays: the ClusterPolicy may leave drivers to them again.
  private Outcome disable(Seen seen) {
    seen.planned().forEach(it -> report.write(it.resource(), DriverVerdict.disabled()));
    apply.watchPods(false, false);
    return Outcome.done();
  }

  private Outcome carryOut(Seen seen) throws InterruptedException {
    seen.fleet().upgraded().ifPresent(upgrades::follow);
    var outcomes = new ArrayList<Outcome>();
    apply.share(seen.planned());
    boolean unexplained = false;
    boolean adopted = false;
    for (Planned planned : seen.planned()) {
      Result result = carryOut(planned, seen);
      Duration pause = report.write(planned.resource(), result.verdict());
      outcomes.add(result.outcome());
      if (pause.isPositive()) {
        outcomes.add(Outcome.wait(pause, "whether what is not ready lasts"));
      }
      unexplained |= report.lasts(planned.resource(), result.verdict());
      adopted |= result.hasOlderPods();
    }
    apply.watchPods(unexplained, adopted);
    return mostUrgent(outcomes);
  }

  private Result carryOut(Planned planned, Seen seen) throws InterruptedException {
    return switch (planned.plan()) {
      case DriverPlan.Refused(var problem) -> Result.of(DriverVerdict.refused(problem));
      case DriverPlan.Wanted wanted -> {
        try {
          yield apply.carryOut(planned.resource(), wanted, seen.fleet().owners());
        } catch (RuntimeException e) {
          log.warn("{} cannot be carried out", planned.resource().getMetadata().getName(), e);
          String message = Objects.requireNonNullElse(e.getMessage(), e.toString());
          yield new Result(DriverVerdict.failed(message), Outcome.failed(e), false);
        }
      }
    };
  }

  /// A failure asks for another attempt; of several waits the shortest holds.
  private static Outcome mostUrgent(List<Outcome> outcomes) {
    return outcomes.stream()
        .filter(Outcome.Failed.class::isInstance)
        .findFirst()
        .or(() ->
            outcomes.stream()
                .flatMap(it -> it instanceof Outcome.Wait wait ? Stream.of(wait) : Stream.empty())
                .min(Comparator.comparing(Outcome.Wait::delay))
                .map(Outcome.class::cast))
        .orElseGet(Outcome::done);
  }
}
