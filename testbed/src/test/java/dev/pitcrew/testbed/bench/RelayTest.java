package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class RelayTest {
  private ServerSocket server;
  private Relay relay;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::echoUntilClosed);
    relay = Relay.to(URI.create("https://127.0.0.1:" + server.getLocalPort()));
  }

  @AfterEach
  void stop() throws IOException {
    relay.close();
    server.close();
  }

  @Test
  void sentBytes_areReturned() throws IOException {
    try (var client = connect()) {
      assertThat(ask(client, "a")).isEqualTo("a");
      assertThat(ask(client, "b")).isEqualTo("b");
    }
  }

  @Test
  void aCutEndsEveryConnectionAndTakesNewOnes() throws IOException {
    try (var first = connect();
        var second = connect()) {
      ask(first, "a");
      ask(second, "a");
      assertThat(relay.cut()).isEqualTo(2);
      assertThat(first.getInputStream().read()).isEqualTo(-1);
      assertThat(second.getInputStream().read()).isEqualTo(-1);
    }
    try (var third = connect()) {
      assertThat(ask(third, "c")).isEqualTo("c");
    }
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), relay.port());
  }

  private static String ask(Socket client, String line) throws IOException {
    client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    return new BufferedReader(
            new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))
        .readLine();
  }

  private void echoUntilClosed() {
    while (!server.isClosed()) {
      try {
        var connection = server.accept();
        Thread.ofVirtual().start(() -> echo(connection));
      } catch (IOException _) {
        return;
      }
    }
  }

  private static void echo(Socket connection) {
    try (connection) {
      connection.getInputStream().transferTo(connection.getOutputStream());
    } catch (IOException _) {
      // The relay was cut.
    }
  }
}
