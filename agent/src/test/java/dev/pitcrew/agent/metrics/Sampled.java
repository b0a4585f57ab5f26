package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.metrics.counters.FieldTable;
import dev.pitcrew.agent.metrics.plan.MetricsEnvironment;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The metrics of a simulated node, sampled as the agent does.
final class Sampled implements AutoCloseable {
  static final Duration LONG = Duration.ofSeconds(60);
  static final FieldTable TABLE = FieldTable.load();

  final SimulatedNode node;
  final Metrics metrics;
  private final GpuSettings gpus;

  Sampled(SimulatedNode node, Map<String, String> variables) {
    this(node, variables, CountersInForce.defaults(TABLE));
  }

  Sampled(SimulatedNode node, Map<String, String> variables, CountersInForce counters) {
    this(node, variables, counters, Metrics.Around.NOTHING);
  }

  Sampled(SimulatedNode node, Map<String, String> variables, CountersFile file) {
    this(
        node,
        variables,
        CountersInForce.defaults(TABLE),
        new Metrics.Around(Optional.of(file), PodMarks.UNKNOWN));
  }

  private Sampled(
      SimulatedNode node,
      Map<String, String> variables,
      CountersInForce counters,
      Metrics.Around around) {
    this.node = node;
    var all = new HashMap<>(Map.of("DCGM_EXPORTER_INTERVAL", "100", "NODE_NAME", "node-1"));
    all.putAll(variables);
    var read = MetricsEnvironment.read(all, "");
    assertThat(read.invalid()).isEmpty();
    var host = new HostRoot(node.hostRoot());
    gpus = new GpuSettings(host, new HostRoot(node.driverRoot()));
    metrics = Metrics.start(read.settings(), host, counters, around);
    follow();
  }

  /// Reports the GPUs as they are now.
  void follow() {
    metrics.follow(gpus, inventory());
  }

  private Inventory inventory() {
    try (var opened = Gpus.open(gpus).toOptional().orElseThrow()) {
      return opened.inventory().toOptional().orElseThrow();
    }
  }

  Scrape scrape() {
    return Scrape.of(metrics.page("").body());
  }

  String text(String accept) {
    return new String(metrics.page(accept).body(), StandardCharsets.UTF_8);
  }

  void until(Consumer<Scrape> holds) {
    await().atMost(LONG).untilAsserted(() -> holds.accept(scrape()));
  }

  /// Until everything was read that needs two samples.
  void untilSampled() {
    until(scrape -> {
      assertThat(scrape.value("pitcrew_metrics_gpu_answers", 0)).contains(1.0);
      assertThat(scrape.value("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", 0)).isPresent();
    });
  }

  @Override
  public void close() {
    metrics.close();
  }
}
