package dev.pitcrew.agent.metrics;

import dev.pitcrew.core.web.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;

/// What is served over HTTP, at the paths of NVIDIA's dcgm-exporter.
public final class MetricsPages {
  private static final byte[] INDEX =
      """
      <!DOCTYPE html>
      <html><head><title>GPU metrics</title></head>
      <body><h1>GPU metrics</h1><p><a href="/metrics">Metrics</a></p></body></html>
      """
          .getBytes(StandardCharsets.UTF_8);

  private MetricsPages() {}

  public static Map<String, Function<String, Answer>> of(Metrics metrics) {
    return Map.of(
        "/", _ -> new Answer(200, "text/html; charset=utf-8", INDEX),
        "/health", _ -> Answer.text(200, "OK"),
        "/metrics", metrics::page);
  }
}
