package dev.pitcrew.operator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Verb;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorMetricsTest {
  private final OperatorMetrics metrics = new OperatorMetrics();

  @ParameterizedTest
  @CsvSource({
    "gpu_nodes_total, gauge",
    "reconciliation_last_success_ts_seconds, gauge",
    "reconciliation_status, gauge",
    "reconciliation_total, counter",
    "reconciliation_failed_total, counter",
    "reconciliation_has_nfd_labels, gauge",
    "openshift_driver_toolkit_enabled, gauge",
    "openshift_driver_toolkit_nfd_too_old, gauge",
    "openshift_driver_toolkit_imagestream_missing, gauge",
    "openshift_driver_toolkit_rhcos_tags_missing, gauge",
    "openshift_driver_toolkit_imagestream_broken, gauge",
    "driver_auto_upgrade_enabled, gauge",
    "nodes_upgrades_in_progress, gauge",
    "nodes_upgrades_done, gauge",
    "nodes_upgrades_failed, gauge",
    "nodes_upgrades_available, gauge",
    "nodes_upgrades_pending, gauge",
  })
  void referenceMetricsAreThereFromTheStart(String name, String type) {
    assertThat(lines())
        .contains("# TYPE gpu_operator_" + name + " " + type, "gpu_operator_" + name + " 0.0");
  }

  @Test
  void policyMetricsCarryWhatWasReported() {
    var policy = metrics.policy();
    policy.gpuNodes(3);
    policy.hasFeatureLabels(true);
    policy.reconciled();
    policy.reconcileFailed();
    policy.status(ReconciliationStatus.POLICY_UNAVAILABLE);
    policy.succeededAt(Instant.ofEpochSecond(1_767_323_045, 999));
    policy.driverToolkit(
        new ToolkitGauges(ToolkitGauges.Availability.NOT_POSSIBLE, true, false, true, false));

    assertThat(lines())
        .contains(
            "gpu_operator_gpu_nodes_total 3.0",
            "gpu_operator_reconciliation_has_nfd_labels 1.0",
            "gpu_operator_reconciliation_total 1.0",
            "gpu_operator_reconciliation_failed_total 1.0",
            "gpu_operator_reconciliation_status -1.0",
            "gpu_operator_reconciliation_last_success_ts_seconds 1.767323045E9",
            "gpu_operator_openshift_driver_toolkit_enabled -1.0",
            "gpu_operator_openshift_driver_toolkit_nfd_too_old 1.0",
            "gpu_operator_openshift_driver_toolkit_imagestream_missing 0.0",
            "gpu_operator_openshift_driver_toolkit_rhcos_tags_missing 1.0",
            "gpu_operator_openshift_driver_toolkit_imagestream_broken 0.0");
  }

  @Test
  void upgradeCountsAreResetWhenAutomaticUpgradesAreSwitchedOff() {
    var counts = new UpgradeCounts(1, 2, 3, 4, 5);
    metrics.policy().driverUpgrades(true, counts);
    assertThat(lines())
        .contains(
            "gpu_operator_driver_auto_upgrade_enabled 1.0",
            "gpu_operator_nodes_upgrades_in_progress 1.0",
            "gpu_operator_nodes_upgrades_done 2.0",
            "gpu_operator_nodes_upgrades_failed 3.0",
            "gpu_operator_nodes_upgrades_available 4.0",
            "gpu_operator_nodes_upgrades_pending 5.0");

    metrics.policy().driverUpgrades(false, counts);
    assertThat(lines())
        .contains(
            "gpu_operator_driver_auto_upgrade_enabled 0.0", "gpu_operator_nodes_upgrades_done 0.0");
  }

  @Test
  void controllersReportWhatTheyDo() {
    var controllers = metrics.controllers();
    controllers.reconciled("node", ReconcileResult.of(Outcome.done()), Duration.ofMillis(20));
    controllers.reconciled(
        "node", ReconcileResult.of(Outcome.failed(new Error())), Duration.ofSeconds(40));
    controllers.queueDepth("node", 7);
    controllers.retried("node");
    controllers.wrote(Verb.APPLY, "DaemonSet");
    controllers.isLeader(true);
    controllers.isCacheSynced("Node", true);

    assertThat(lines())
        .contains(
            "controller_runtime_reconcile_total{controller=\"node\",result=\"success\"} 1.0",
            "controller_runtime_reconcile_total{controller=\"node\",result=\"error\"} 1.0",
            "pitcrew_reconcile_duration_seconds_bucket{controller=\"node\",le=\"0.025\"} 1",
            "pitcrew_reconcile_duration_seconds_bucket{controller=\"node\",le=\"+Inf\"} 2",
            "pitcrew_reconcile_duration_seconds_sum{controller=\"node\"} 40.02",
            "pitcrew_queue_depth{controller=\"node\"} 7.0",
            "pitcrew_queue_retries_total{controller=\"node\"} 1.0",
            "pitcrew_api_writes_total{kind=\"DaemonSet\",verb=\"apply\"} 1.0",
            "pitcrew_leader 1.0",
            "pitcrew_cache_synced{kind=\"Node\"} 1.0");
  }

  @Test
  void outcomesCountInTheWordsOfControllerRuntime() {
    assertThat(ReconcileResult.of(Outcome.wait(Duration.ofSeconds(1), "x")))
        .isEqualTo(ReconcileResult.REQUEUE_AFTER);
    assertThat(ReconcileResult.of(Outcome.blocked("Reason", "message")))
        .isEqualTo(ReconcileResult.SUCCESS);
  }

  @Test
  void operandsCountTheirNodesUntilTheyAreRemoved() {
    metrics.controllers().operand("driver", new OperandNodes(3, 2, 1));
    assertThat(lines())
        .contains(
            "pitcrew_operand_nodes{operand=\"driver\",state=\"desired\"} 3.0",
            "pitcrew_operand_nodes{operand=\"driver\",state=\"ready\"} 2.0",
            "pitcrew_operand_nodes{operand=\"driver\",state=\"updated\"} 1.0");

    metrics.controllers().operandRemoved("driver");
    assertThat(lines()).noneMatch(line -> line.startsWith("pitcrew_operand_nodes{"));
  }

  /// As NVIDIA's controller names it; an operator that is not the controller has no series.
  @Test
  void computeDomainsAreCountedAtEachScrape() {
    assertThat(lines()).noneMatch(line -> line.startsWith("nvidia_dra_"));
    var counts = new HashMap<String, Long>(Map.of("NotReady", 2L, "Ready", 0L));
    metrics.controllers().countDomains(() -> counts);
    assertThat(lines())
        .contains(
            "# TYPE nvidia_dra_compute_domain_info gauge",
            "nvidia_dra_compute_domain_info{status=\"NotReady\"} 2.0",
            "nvidia_dra_compute_domain_info{status=\"Ready\"} 0.0");

    counts.put("Ready", 1L);
    assertThat(lines()).contains("nvidia_dra_compute_domain_info{status=\"Ready\"} 1.0");
  }

  @Test
  void openMetricsIsServedToThoseWhoAsk() {
    var scrape = metrics.scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");

    assertThat(scrape.contentType()).startsWith("application/openmetrics-text");
    assertThat(new String(scrape.body(), StandardCharsets.UTF_8))
        .contains("gpu_operator_gpu_nodes_total 0.0\n")
        .contains("gpu_operator_reconciliation_total 0.0\n")
        .endsWith("# EOF\n");
    assertThat(metrics.scrape("").contentType()).startsWith("text/plain");
  }

  @Test
  void theProcessReportsItself() {
    assertThat(value("jvm_memory_used_bytes{area=\"heap\"}")).isGreaterThan(1_000_000);
    assertThat(value("process_cpu_seconds_total")).isPositive();
    assertThat(value("process_resident_memory_bytes")).isGreaterThan(10_000_000);
  }

  @Test
  void residentMemory_isLeftOutWhereTheSystemDoesNotReportIt() {
    assertThat(ProcessMetrics.residentBytes(Path.of("/nonexistent"))).isEmpty();
  }

  private double value(String series) {
    return lines().stream()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private List<String> lines() {
    return new String(metrics.scrape("text/plain").body(), StandardCharsets.UTF_8).lines().toList();
  }
}
