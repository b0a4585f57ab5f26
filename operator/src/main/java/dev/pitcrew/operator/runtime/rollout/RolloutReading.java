package dev.pitcrew.operator.runtime.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.Logging;
import dev.pitcrew.core.log.TimeEncoding;
import dev.pitcrew.core.rollout.RolloutEnd;
import dev.pitcrew.core.rollout.RolloutWords;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.command.PitcrewCommand;
import dev.pitcrew.operator.command.RolloutOptions;
import dev.pitcrew.operator.command.RolloutProgram;
import dev.pitcrew.operator.runtime.upgrade.GpuPods;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Fleet;
import dev.pitcrew.operator.upgrade.Forecast;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.stream.Stream;

/// Looks at roll-outs and says what it sees on the given writer.
public final class RolloutReading implements RolloutProgram {
  private static final Duration SYNC = Duration.ofMinutes(1);

  /// A deadline or a window changes the report without an event.
  private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private static final String UNKNOWN =
      "There is no NVIDIADriver %s that says what driver nodes get: see kubectl get nvidiadrivers, and driver.useNvidiaDriverCRD of the ClusterPolicy.";

  private static final String UNREACHABLE =
      """
      The API server has not answered within %d s. Is it reachable, and may this user list nodes, pods, daemonsets, gpunodes, \
      clusterpolicies, nvidiadrivers and fleetpolicies?\
      """;

  private final Function<String, KubernetesClient> clients;
  private final LiveFleet.Kinds kinds;
  private final InstantSource clock;
  private final PrintWriter output;
  private final PrintWriter errors;

  /// @param clients opens a client for a kubeconfig, which may be empty
  public RolloutReading(
      Function<String, KubernetesClient> clients,
      LiveFleet.Kinds kinds,
      InstantSource clock,
      PrintWriter output,
      PrintWriter errors) {
    this.clients = clients;
    this.kinds = kinds;
    this.clock = clock;
    this.output = output;
    this.errors = errors;
  }

  @Override
  public int plan(RolloutOptions options) {
    return look(
        options,
        (client, fleet, _) -> {
          var pods = new GpuPods(client);
          List<PlanReport> reports =
              fleets(fleet, options).map(it -> plan(it, pods, options)).toList();
          print(options, reports, PlanReport::table);
          printUnattended(fleet, options);
          if (!pods.knowsBudgets()) {
            errors.println(
                "Disruption budgets are not considered: this user may not list poddisruptionbudgets.");
          }
          return 0;
        });
  }

  @Override
  public int status(RolloutOptions options) {
    return look(
        options,
        (_, fleet, news) -> {
          List<StatusReport> reports = status(fleet, options);
          print(options, reports, StatusReport::table);
          printUnattended(fleet, options);
          Map<String, StatusReport.Row> last = rows(reports);
          while (options.watch() && isGoingOn(reports)) {
            var _ = news.tryAcquire(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
            news.drainPermits();
            reports = status(fleet, options);
            last = printChanges(options, reports, last);
          }
          if (options.watch() && !options.json()) {
            reports.forEach(report -> output.println(report.summary()));
          }
          boolean isStopped = reports.stream().anyMatch(it -> it.end() == RolloutEnd.STOPPED);
          boolean isInVain = options.watch() && reports.isEmpty();
          return isStopped || isInVain ? PitcrewCommand.FAILED : 0;
        });
  }

  /// What is done with a fleet that is known.
  private interface Look {
    int at(KubernetesClient client, LiveFleet fleet, Semaphore news) throws InterruptedException;
  }

  private int look(RolloutOptions options, Look look) {
    Logging.configure(
        new LogOptions(LogEncoder.CONSOLE, TimeEncoding.RFC3339, Level.SEVERE), Map::of);
    var news = new Semaphore(0);
    try (KubernetesClient client = clients.apply(options.kubeconfig());
        var fleet = new LiveFleet(client, options.namespace(), kinds, news::release)) {
      if (!fleet.awaitSync(SYNC)) {
        errors.println(UNREACHABLE.formatted(SYNC.toSeconds()));
        return PitcrewCommand.FAILED;
      }
      if (!options.driver().isEmpty() && !fleet.hasDriver(options.driver())) {
        errors.println(UNKNOWN.formatted(options.driver()));
        return PitcrewCommand.FAILED;
      }
      return look.at(client, fleet, news);
    } catch (KubernetesClientException | KubeException | UnreadableResource failure) {
      errors.println("The roll-out cannot be read: " + failure.getMessage());
      return PitcrewCommand.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return PitcrewCommand.FAILED;
    }
  }

  private static PlanReport plan(Fleet fleet, GpuPods pods, RolloutOptions options) {
    var asked = WhatIf.of(fleet, options.version());
    return PlanReport.of(
        fleet,
        Forecast.of(asked.withPods(node -> pods.of(node, fleet.view().policy()))),
        options.version());
  }

  private List<StatusReport> status(LiveFleet fleet, RolloutOptions options) {
    return fleets(fleet, options).map(StatusReport::of).toList();
  }

  private Stream<Fleet> fleets(LiveFleet fleet, RolloutOptions options) {
    return fleet.fleets(clock.instant()).stream().filter(it -> isAsked(it.source(), options));
  }

  private void printUnattended(LiveFleet fleet, RolloutOptions options) {
    if (!fleet.hasSources()) {
      errors.println(RolloutWords.NO_SOURCE);
    }
    fleet
        .unattended()
        .forEach((source, why) -> {
          if (isAsked(source, options)) {
            errors.println(RolloutWords.unattended(source, why));
          }
        });
  }

  private static boolean isAsked(String source, RolloutOptions options) {
    return options.driver().isEmpty() || source.equals(LiveFleet.NVIDIA_DRIVER + options.driver());
  }

  private static boolean isGoingOn(List<StatusReport> reports) {
    return reports.stream().anyMatch(it -> it.end() == RolloutEnd.NONE);
  }

  private static Map<String, StatusReport.Row> rows(List<StatusReport> reports) {
    Map<String, StatusReport.Row> rows = new HashMap<>();
    reports.forEach(report -> report.nodes().forEach(row -> rows.put(row.node(), row)));
    return rows;
  }

  private Map<String, StatusReport.Row> printChanges(
      RolloutOptions options, List<StatusReport> reports, Map<String, StatusReport.Row> before) {
    Map<String, StatusReport.Row> now = rows(reports);
    var changed = new ArrayList<StatusReport.Row>();
    now.values().stream().filter(row -> !row.equals(before.get(row.node()))).forEach(changed::add);
    changed.sort((one, other) -> one.node().compareTo(other.node()));
    for (StatusReport.Row row : changed) {
      output.println(options.json() ? json(row) : line(row));
    }
    return now;
  }

  private static String line(StatusReport.Row row) {
    String blocker = row.blocker().isEmpty() ? "" : ": " + row.blocker();
    return "%s   %s   %s%s".formatted(row.since(), row.node(), row.phase(), blocker);
  }

  private <T> void print(RolloutOptions options, List<T> reports, Function<T, String> table) {
    if (options.json()) {
      output.println(json(reports));
    } else {
      output.print(String.join("\n", reports.stream().map(table).toList()));
      output.flush();
    }
  }

  private static String json(Object value) {
    try {
      return KubernetesJson.MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a report cannot be written as JSON", e);
    }
  }
}
