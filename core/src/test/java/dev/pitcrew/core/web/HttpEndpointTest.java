package dev.pitcrew.core.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Here and not with one of the users of the endpoint: the JDK's server reads its limits when its
/// first class loads, and test beds of other modules have servers of their own in the same JVM.
class HttpEndpointTest {
  private static final BindAddress.Listen LOOPBACK = new BindAddress.Listen("127.0.0.1", 0);

  @Test
  void clientThatNeverFinishesItsRequestIsCutOff() throws Exception {
    try (var endpoint = HttpEndpoint.start(LOOPBACK, Map.of());
        var socket = new Socket(endpoint.address().getAddress(), endpoint.address().getPort())) {
      socket.setSoTimeout(60_000);
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\nHost: x".getBytes(StandardCharsets.US_ASCII));

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }
}
