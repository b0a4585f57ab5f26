package dev.pitcrew.agent.plugin;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;

/// Notices at once that the process which serves a socket has gone: however it ends, the kernel
/// ends its connections, while its socket file may stay.
final class PeerCloseWatch implements AutoCloseable {
  private static final int BYTES = 256;

  private final SocketChannel channel;
  private final Runnable onGone;
  private volatile boolean isOver;

  private PeerCloseWatch(SocketChannel channel, Runnable onGone) {
    this.channel = channel;
    this.onGone = onGone;
  }

  /// Empty where no process serves the socket.
  ///
  /// @param onGone called once, on another thread, when the serving process ends the connection
  static Optional<PeerCloseWatch> watch(Path socket, Runnable onGone) {
    try {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      channel.connect(UnixDomainSocketAddress.of(socket));
      PeerCloseWatch departure = new PeerCloseWatch(channel, onGone);
      Thread.ofVirtual().name("departure").start(departure::await);
      return Optional.of(departure);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Whether there is nothing more to wait for.
  boolean isOver() {
    return isOver;
  }

  private void await() {
    ByteBuffer heard = ByteBuffer.allocate(BYTES);
    try (channel) {
      while (channel.read(heard) >= 0) {
        heard.clear();
      }
    } catch (IOException _) {
      // This is how it ends, too.
    }
    isOver = true;
    onGone.run();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException _) {
      // It is of no use any more either way.
    }
  }
}
