package dev.pitcrew.operator.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import java.time.Instant;

/// The metrics of the NVIDIA GPU Operator, under its names and without labels.
public final class PolicyMetrics {
  private static final String PREFIX = "gpu_operator_";

  private final Gauge gpuNodes;
  private final Gauge lastSuccess;
  private final Gauge status;
  private final Counter reconciliations;
  private final Counter failures;
  private final Gauge featureLabels;
  private final Gauge toolkitEnabled;
  private final Gauge toolkitNfdTooOld;
  private final Gauge toolkitStreamMissing;
  private final Gauge toolkitTagsMissing;
  private final Gauge toolkitStreamBroken;
  private final Gauge autoUpgrade;
  private final Gauge upgradesInProgress;
  private final Gauge upgradesDone;
  private final Gauge upgradesFailed;
  private final Gauge upgradesAvailable;
  private final Gauge upgradesPending;

  PolicyMetrics(MetricFactory metrics) {
    gpuNodes = metrics.gauge(PREFIX + "gpu_nodes_total", "Nodes with a GPU");
    lastSuccess =
        metrics.gauge(
            PREFIX + "reconciliation_last_success_ts_seconds",
            "Unix time at which all operands were last found ready");
    status =
        metrics.gauge(
            PREFIX + "reconciliation_status",
            "1 success, 0 operands not ready, -1 ClusterPolicy unavailable, -2 operator error");
    reconciliations =
        metrics.counter(PREFIX + "reconciliation_total", "Reconciles of the ClusterPolicy");
    failures =
        metrics.counter(
            PREFIX + "reconciliation_failed_total",
            "Reconciles of the ClusterPolicy that ended not ready or with an error");
    featureLabels =
        metrics.gauge(
            PREFIX + "reconciliation_has_nfd_labels", "1 if feature discovery has labelled a node");
    String toolkit = PREFIX + "openshift_driver_toolkit_";
    toolkitEnabled =
        metrics.gauge(
            toolkit + "enabled", "1 enabled, 0 not requested, -1 requested but not possible");
    toolkitNfdTooOld =
        metrics.gauge(
            toolkit + "nfd_too_old", "1 if GPU nodes lack the label with the OSTree version");
    toolkitStreamMissing =
        metrics.gauge(
            toolkit + "imagestream_missing", "1 if the image stream driver-toolkit is missing");
    toolkitTagsMissing =
        metrics.gauge(
            toolkit + "rhcos_tags_missing",
            "1 if the image stream lacks a tag for a running version");
    toolkitStreamBroken =
        metrics.gauge(
            toolkit + "imagestream_broken", "1 if the image stream has a tag without a name");
    autoUpgrade =
        metrics.gauge(
            PREFIX + "driver_auto_upgrade_enabled", "1 if drivers are upgraded automatically");
    String upgrades = PREFIX + "nodes_upgrades_";
    upgradesInProgress =
        metrics.gauge(upgrades + "in_progress", "Nodes whose driver is being upgraded");
    upgradesDone = metrics.gauge(upgrades + "done", "Nodes whose driver is up to date");
    upgradesFailed = metrics.gauge(upgrades + "failed", "Nodes whose driver upgrade failed");
    upgradesAvailable =
        metrics.gauge(upgrades + "available", "Nodes whose driver upgrade may start now");
    upgradesPending =
        metrics.gauge(upgrades + "pending", "Nodes whose driver upgrade waits for its turn");
  }

  public void gpuNodes(int count) {
    gpuNodes.set(count);
  }

  public void hasFeatureLabels(boolean present) {
    featureLabels.set(present ? 1 : 0);
  }

  /// Counts a reconcile whose preconditions held.
  public void reconciled() {
    reconciliations.inc();
  }

  /// Counts a reconcile that ended not ready or with an error.
  public void reconcileFailed() {
    failures.inc();
  }

  public void status(ReconciliationStatus current) {
    status.set(current.value());
  }

  /// All operands were found ready at that time.
  public void succeededAt(Instant time) {
    lastSuccess.set((double) time.getEpochSecond());
  }

  public void driverToolkit(ToolkitGauges toolkit) {
    toolkitEnabled.set(toolkit.availability().value());
    toolkitNfdTooOld.set(toolkit.isNfdTooOld() ? 1 : 0);
    toolkitStreamMissing.set(toolkit.isImageStreamMissing() ? 1 : 0);
    toolkitTagsMissing.set(toolkit.areRhcosTagsMissing() ? 1 : 0);
    toolkitStreamBroken.set(toolkit.isImageStreamBroken() ? 1 : 0);
  }

  /// With automatic upgrades off, the counts are those of no upgrade.
  public void driverUpgrades(boolean automatic, UpgradeCounts counts) {
    UpgradeCounts shown = automatic ? counts : UpgradeCounts.NONE;
    autoUpgrade.set(automatic ? 1 : 0);
    upgradesInProgress.set(shown.inProgress());
    upgradesDone.set(shown.done());
    upgradesFailed.set(shown.failed());
    upgradesAvailable.set(shown.available());
    upgradesPending.set(shown.pending());
  }
}
