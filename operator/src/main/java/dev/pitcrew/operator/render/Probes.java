package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;

/// The kinds of probes that operands use; times in seconds.
public final class Probes {
  private Probes() {}

  public static ProbeBuilder exec(String... command) {
    return new ProbeBuilder().withNewExec().withCommand(command).endExec();
  }

  public static Probe tcp(int port, int initialDelaySeconds) {
    return new ProbeBuilder()
        .withNewTcpSocket()
        .withPort(new IntOrString(port))
        .endTcpSocket()
        .withInitialDelaySeconds(initialDelaySeconds)
        .build();
  }

  public static ProbeBuilder http(int port, String path, int initialDelaySeconds) {
    return new ProbeBuilder()
        .withNewHttpGet()
        .withPort(new IntOrString(port))
        .withPath(path)
        .endHttpGet()
        .withInitialDelaySeconds(initialDelaySeconds);
  }

  /// The health service of gRPC.
  public static ProbeBuilder grpc(int port, String service) {
    return new ProbeBuilder().withNewGrpc().withPort(port).withService(service).endGrpc();
  }

  /// Every ten seconds, twenty minutes long: what building a kernel module may take.
  public static Probe whileModuleLoads(String command, int timeoutSeconds) {
    return exec("sh", "-c", command)
        .withInitialDelaySeconds(10)
        .withPeriodSeconds(10)
        .withTimeoutSeconds(timeoutSeconds)
        .withSuccessThreshold(1)
        .withFailureThreshold(120)
        .build();
  }
}
