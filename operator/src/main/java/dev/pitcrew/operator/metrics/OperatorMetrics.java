package dev.pitcrew.operator.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/// All metrics of one operator process. Safe for use by many threads.
public final class OperatorMetrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PolicyMetrics policy;
  private final ControllerMetrics controllers;

  /// Every metric without labels exists from the start, so that a dashboard never reads "no data".
  public OperatorMetrics() {
    var factory = new MetricFactory(registry);
    policy = new PolicyMetrics(factory);
    controllers = new ControllerMetrics(factory);
    ProcessMetrics.register(registry);
  }

  /// The metrics of the NVIDIA GPU Operator.
  public PolicyMetrics policy() {
    return policy;
  }

  /// What our controllers do.
  public ControllerMetrics controllers() {
    return controllers;
  }

  /// All metrics as text, in the format that a scraper with that `Accept` header prefers.
  public Scrape scrape(String accept) {
    ExpositionFormatWriter writer =
        accept.contains("application/openmetrics-text")
            ? OpenMetricsTextFormatWriter.create()
            : PrometheusTextFormatWriter.create();
    var body = new ByteArrayOutputStream();
    try {
      writer.write(body, registry.scrape());
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing metrics to memory", impossible);
    }
    return new Scrape(writer.getContentType(), body.toByteArray());
  }
}
