package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.pitcrew.agent.context.AgentContext.KubeletRoot;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc.DRAPluginImplBase;
import dev.pitcrew.kubelet.health.HealthCheckRequest;
import dev.pitcrew.kubelet.health.HealthCheckResponse.ServingStatus;
import dev.pitcrew.kubelet.health.HealthGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The health port of the DRA driver, beside its sockets.
class DraHealthTest {
  @TempDir private Path folder;

  private volatile boolean isServing;

  private DraSockets sockets(int port) {
    return new DraSockets(
        KubeletRoot.of(folder),
        ClaimDevice.DRIVER,
        new DraSockets.Services(
            new DRAPluginImplBase() {},
            Optional.of(new DeviceHealthService("node-a", InstantSource.system())),
            new HealthService(port, () -> isServing)),
        () -> {});
  }

  private static ServerSocket loopback(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  private static int freePort() throws IOException {
    try (var socket = loopback(0)) {
      return socket.getLocalPort();
    }
  }

  private static ServingStatus ask(int port, String service) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(InetAddress.getLoopbackAddress().getHostAddress(), port)
            .usePlaintext()
            .build();
    try {
      return HealthGrpc.newBlockingStub(channel)
          .check(HealthCheckRequest.newBuilder().setService(service).build())
          .getStatus();
    } finally {
      channel.shutdownNow();
    }
  }

  private static void isAnsweredWith(Status.Code code, int port, String service) {
    assertThatThrownBy(() -> ask(port, service))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            it -> assertThat(it.getStatus().getCode()).isEqualTo(code));
  }

  /// Until then, and after the driver has ended, there is no port.
  @Test
  void healthIsThatOfTheDriver() throws IOException {
    int port = freePort();
    var sockets = sockets(port);
    try (sockets) {
      isAnsweredWith(Status.Code.UNAVAILABLE, port, "");
      assertThat(sockets.keep()).isEmpty();

      assertThat(ask(port, "")).isEqualTo(ServingStatus.NOT_SERVING);
      isServing = true;
      assertThat(ask(port, "")).isEqualTo(ServingStatus.SERVING);
      assertThat(ask(port, "liveness")).isEqualTo(ServingStatus.SERVING);
      isAnsweredWith(Status.Code.NOT_FOUND, port, "readiness");
    }
    isAnsweredWith(Status.Code.UNAVAILABLE, port, "");
  }

  /// Claims are served all the same, and the port is taken once it is free.
  @Test
  void portThatIsTakenIsNamedWithARemedy() throws IOException {
    int port = freePort();
    try (var sockets = sockets(port)) {
      try (var _ = loopback(port)) {
        assertThat(sockets.keep())
            .singleElement(STRING)
            .contains("port " + port, "in use", "ss -ltnp");
      }
      assertThat(sockets.keep()).isEmpty();
      isServing = true;
      assertThat(ask(port, "")).isEqualTo(ServingStatus.SERVING);
    }
  }
}
