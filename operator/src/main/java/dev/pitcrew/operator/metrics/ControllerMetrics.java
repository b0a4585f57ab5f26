package dev.pitcrew.operator.metrics;

import dev.pitcrew.kube.apply.Verb;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/// What the controllers do: reconciles, queues, writes, operands, leadership.
public final class ControllerMetrics {
  private static final double[] RECONCILE_SECONDS = {
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
  };
  private static final String CONTROLLER = "controller";

  private final Counter reconciles;
  private final Histogram duration;
  private final Gauge queueDepth;
  private final Counter retries;
  private final Counter writes;
  private final Gauge operandNodes;
  private final Gauge leader;
  private final Gauge cacheSynced;
  private volatile Supplier<Map<String, Long>> domains = Map::of;

  ControllerMetrics(MetricFactory metrics) {
    reconciles =
        metrics.counter(
            "controller_runtime_reconcile_total",
            "Reconciles by how they ended",
            CONTROLLER,
            "result");
    duration =
        metrics.histogram(
            "pitcrew_reconcile_duration_seconds",
            "How long reconciles took",
            RECONCILE_SECONDS,
            CONTROLLER);
    queueDepth = metrics.gauge("pitcrew_queue_depth", "Keys that wait for a reconcile", CONTROLLER);
    retries =
        metrics.counter(
            "pitcrew_queue_retries_total", "Reconciles repeated after an error", CONTROLLER);
    writes =
        metrics.counter(
            "pitcrew_api_writes_total", "Changes sent to the API server", "verb", "kind");
    operandNodes =
        metrics.gauge(
            "pitcrew_operand_nodes",
            "Nodes of an operand: desired, ready, updated",
            "operand",
            "state");
    leader = metrics.gauge("pitcrew_leader", "1 if this replica holds the leader lease");
    cacheSynced =
        metrics.gauge("pitcrew_cache_synced", "1 if the cache of that kind is complete", "kind");
    metrics.gaugeWhenScraped(
        "nvidia_dra_compute_domain_info",
        "ComputeDomains by their status, while the operator is their controller",
        "status",
        () -> domains.get());
  }

  /// Has ComputeDomains counted at each scrape, under the name that NVIDIA's controller has for it.
  ///
  /// @param byStatus how many have each status; empty while this process is not their controller
  public void countDomains(Supplier<Map<String, Long>> byStatus) {
    domains = byStatus;
  }

  /// Counts one reconcile and how long it took.
  public void reconciled(String controller, ReconcileResult result, Duration took) {
    reconciles.labelValues(controller, result.label()).inc();
    duration.labelValues(controller).observe(took.toNanos() / 1e9);
  }

  public void queueDepth(String controller, int keys) {
    queueDepth.labelValues(controller).set(keys);
  }

  public void retried(String controller) {
    retries.labelValues(controller).inc();
  }

  /// Counts one change sent to the API server.
  public void wrote(Verb verb, String kind) {
    writes.labelValues(verb.text(), kind).inc();
  }

  public void operand(String operand, OperandNodes nodes) {
    operandNodes.labelValues(operand, "desired").set(nodes.desired());
    operandNodes.labelValues(operand, "ready").set(nodes.ready());
    operandNodes.labelValues(operand, "updated").set(nodes.updated());
  }

  /// An operand that is gone has no series either.
  public void operandRemoved(String operand) {
    operandNodes.remove(operand, "desired");
    operandNodes.remove(operand, "ready");
    operandNodes.remove(operand, "updated");
  }

  public void isLeader(boolean holdsLease) {
    leader.set(holdsLease ? 1 : 0);
  }

  public void isCacheSynced(String kind, boolean synced) {
    cacheSynced.labelValues(kind).set(synced ? 1 : 0);
  }
}
