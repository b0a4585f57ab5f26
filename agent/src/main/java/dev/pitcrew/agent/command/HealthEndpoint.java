package dev.pitcrew.agent.command;

import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HealthPages;
import dev.pitcrew.core.web.HttpEndpoint;
import dev.pitcrew.core.web.ReadinessCheck;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// `/healthz` and `/readyz` for the gate, which answers the kubelet's probe.
final class HealthEndpoint implements AutoCloseable {
  private final Optional<HttpEndpoint> endpoint;

  /// @param checks what must hold now for the process to be ready
  HealthEndpoint(String address, Supplier<List<ReadinessCheck>> checks) {
    endpoint =
        switch (BindAddress.parse(address)) {
          case BindAddress.Off() -> Optional.empty();
          case BindAddress.Listen listen ->
              Optional.of(HttpEndpoint.start(listen, HealthPages.of(checks)));
        };
  }

  @Override
  public void close() {
    endpoint.ifPresent(HttpEndpoint::close);
  }
}
