package dev.pitcrew.operator.web;

import dev.pitcrew.core.web.Answer;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HealthPages;
import dev.pitcrew.core.web.HttpEndpoint;
import dev.pitcrew.core.web.ReadinessCheck;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.Scrape;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Serves `/metrics` on one address and `/healthz` and `/readyz` on another, until closed.
public final class ManagementServer implements AutoCloseable {
  private final Optional<HttpEndpoint> metrics;
  private final Optional<HttpEndpoint> health;

  private ManagementServer(Optional<HttpEndpoint> metrics, Optional<HttpEndpoint> health) {
    this.metrics = metrics;
    this.health = health;
  }

  /// Listens on both addresses, unless off.
  ///
  /// @throws java.io.UncheckedIOException when an address cannot be used; nothing is listening then
  public static ManagementServer start(
      ManagementAddresses addresses, OperatorMetrics metrics, List<ReadinessCheck> checks) {
    var metricsEndpoint =
        listen(addresses.metrics(), Map.of("/metrics", accept -> answer(metrics.scrape(accept))));
    try {
      var healthEndpoint = listen(addresses.health(), HealthPages.of(() -> checks));
      return new ManagementServer(metricsEndpoint, healthEndpoint);
    } catch (RuntimeException failure) {
      metricsEndpoint.ifPresent(HttpEndpoint::close);
      throw failure;
    }
  }

  /// Where metrics are served, with the real port; empty when off.
  public Optional<InetSocketAddress> metricsAddress() {
    return metrics.map(HttpEndpoint::address);
  }

  /// Where health is served, with the real port; empty when off.
  public Optional<InetSocketAddress> healthAddress() {
    return health.map(HttpEndpoint::address);
  }

  @Override
  public void close() {
    metrics.ifPresent(HttpEndpoint::close);
    health.ifPresent(HttpEndpoint::close);
  }

  private static Optional<HttpEndpoint> listen(
      BindAddress address, Map<String, Function<String, Answer>> pages) {
    return switch (address) {
      case BindAddress.Off _ -> Optional.empty();
      case BindAddress.Listen listen -> Optional.of(HttpEndpoint.start(listen, pages));
    };
  }

  private static Answer answer(Scrape scrape) {
    return new Answer(200, scrape.contentType(), scrape.body());
  }
}
