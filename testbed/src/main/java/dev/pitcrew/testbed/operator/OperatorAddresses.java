package dev.pitcrew.testbed.operator;

import dev.pitcrew.testbed.FreePorts;
import java.net.URI;
import java.util.List;

/// The TCP ports on loopback at which one operator process answers.
public record OperatorAddresses(int metricsPort, int healthPort) {
  /// Ports that no process listens on yet.
  public static OperatorAddresses free() {
    var ports = FreePorts.two();
    return new OperatorAddresses(ports.first(), ports.second());
  }

  /// Answers 200 once the operator works.
  public URI readiness() {
    return URI.create("http://127.0.0.1:" + healthPort + "/readyz");
  }

  /// Where the metrics are served.
  public URI metrics() {
    return URI.create("http://127.0.0.1:" + metricsPort + "/metrics");
  }

  /// The same for the operator's command line.
  List<String> arguments() {
    return List.of(
        "--metrics-bind-address=127.0.0.1:" + metricsPort,
        "--health-probe-bind-address=127.0.0.1:" + healthPort);
  }
}
