package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A TCP relay on loopback in front of the API server: the connections of one client can be cut
/// there without harm to any other.
final class Relay implements AutoCloseable {
  private final ServerSocket door;
  private final InetSocketAddress target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private Relay(ServerSocket door, InetSocketAddress target) {
    this.door = door;
    this.target = target;
  }

  /// Relays to the host and port of `server`.
  static Relay to(URI server) {
    try {
      var door = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
      var relay = new Relay(door, new InetSocketAddress(server.getHost(), server.getPort()));
      Thread.ofVirtual().name("relay").start(relay::acceptUntilClosed);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException("open a relay on loopback", e);
    }
  }

  int port() {
    return door.getLocalPort();
  }

  /// Closes every connection; new ones are taken at once.
  ///
  /// @return how many there were
  int cut() {
    var connections = Set.copyOf(open);
    connections.forEach(Relay::closeQuietly);
    return connections.size() / 2;
  }

  @Override
  public void close() {
    closeQuietly(door);
    cut();
  }

  private void acceptUntilClosed() {
    while (!door.isClosed()) {
      try {
        connect(door.accept());
      } catch (IOException _) {
        // Either this relay is closed, or one connection failed, which its client notices.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    var server = new Socket();
    try {
      server.connect(target);
    } catch (IOException e) {
      closeQuietly(client);
      throw e;
    }
    for (var socket : new Socket[] {client, server}) {
      socket.setTcpNoDelay(true);
      open.add(socket);
    }
    Thread.ofVirtual().start(() -> copy(client, server));
    Thread.ofVirtual().start(() -> copy(server, client));
  }

  private void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // Cut, by this relay or by one of the two ends: the other end is closed like this one.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception _) {
      // It is of no further use in either case.
    }
  }
}
