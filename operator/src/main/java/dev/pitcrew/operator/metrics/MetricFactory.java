package dev.pitcrew.operator.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.function.Supplier;

/// Registers metrics, all without exemplars: there are no traces to point at, and the tracing
/// support that exemplars load is not on the class path.
final class MetricFactory {
  private final PrometheusRegistry registry;

  MetricFactory(PrometheusRegistry registry) {
    this.registry = registry;
  }

  Gauge gauge(String name, String help, String... labels) {
    return Gauge.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  /// @param values by the value of the label; none for no series
  void gaugeWhenScraped(
      String name, String help, String label, Supplier<Map<String, Long>> values) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames(label)
        .callback(gauge -> values.get().forEach((value, count) -> gauge.call(count, value)))
        .register(registry);
  }

  Counter counter(String name, String help, String... labels) {
    return Counter.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  Histogram histogram(String name, String help, double[] upperBounds, String... labels) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .classicOnly()
        .classicUpperBounds(upperBounds)
        .withoutExemplars()
        .register(registry);
  }
}
