package dev.pitcrew.agent.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When the end of the process that serves a socket is noticed.
class PeerCloseWatchTest {
  private final AtomicInteger calls = new AtomicInteger();
  private Path socket;

  @BeforeEach
  void place(@TempDir Path folder) {
    socket = folder.resolve("other.sock");
  }

  @Test
  void theEndOfTheConnectionIsReportedOnceThoughTheSocketFileStays() throws IOException {
    try (var other = serve()) {
      PeerCloseWatch watch = PeerCloseWatch.watch(socket, calls::incrementAndGet).orElseThrow();
      try (SocketChannel connection = other.accept()) {
        connection.write(ByteBuffer.wrap("some words".getBytes(StandardCharsets.UTF_8)));
        assertThat(watch.isOver()).isFalse();
        assertThat(calls).hasValue(0);
      }

      await().untilAsserted(() -> assertThat(calls).hasValue(1));
      assertThat(watch.isOver()).isTrue();
      assertThat(socket).exists();
    }
  }

  @Test
  void thereIsNothingToWatchWhereNoProcessServesTheSocket() throws IOException {
    assertThat(PeerCloseWatch.watch(socket, calls::incrementAndGet)).isEmpty();
    serve().close();
    assertThat(Files.exists(socket)).isTrue();
    assertThat(PeerCloseWatch.watch(socket, calls::incrementAndGet)).isEmpty();
    assertThat(calls).hasValue(0);
  }

  private ServerSocketChannel serve() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    return server;
  }
}
