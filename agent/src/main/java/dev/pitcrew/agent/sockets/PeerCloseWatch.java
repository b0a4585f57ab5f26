package dev.pitcrew.agent.sockets;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;

/// Notices at once that the process which serves a socket has gone: however it ends, the kernel
/// ends its connections, while its socket file may stay.
public final class PeerCloseWatch implements AutoCloseable {
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
  public static Optional<PeerCloseWatch> watch(Path socket, Runnable onGone) {
    try {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      channel.connect(UnixDomainSocketAddress.of(socket));
      PeerCloseWatch watch = new PeerCloseWatch(channel, onGone);
      Thread.ofVirtual().name("peer-close").start(watch::await);
      return Optional.of(watch);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Whether there is nothing more to wait for.
  public boolean isOver() {
    return isOver;
  }

  private void await() {
    ByteBuffer received = ByteBuffer.allocate(BYTES);
    try (channel) {
      while (channel.read(received) >= 0) {
        received.clear();
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
