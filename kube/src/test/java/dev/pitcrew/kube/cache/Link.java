package dev.pitcrew.kube.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A network link to the API server that can fail in the ways that networks do.
final class Link implements AutoCloseable {

  /// One connection through the link.
  private static final class Connection {
    private final Socket client;
    private final Socket server;
    private volatile boolean frozen;

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void carry() {
      Thread.ofVirtual().start(() -> copy(client, server));
      Thread.ofVirtual().start(() -> copy(server, client));
    }

    private void copy(Socket from, Socket to) {
      byte[] buffer = new byte[16 * 1024];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          if (!frozen) { // bytes are swallowed, and nobody learns of it
            out.write(buffer, 0, length);
          }
        }
      } catch (IOException e) {
        // the other side is gone, and so is this one
      }
      if (!frozen) {
        cut();
      }
    }

    void cut() {
      quietlyClose(client);
      quietlyClose(server);
    }
  }

  private final URI target;
  private final ServerSocket listener;
  private final List<Connection> connections = new CopyOnWriteArrayList<>();
  private volatile boolean down;

  private Link(URI target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  static Link to(String address) {
    try {
      var link = new Link(URI.create(address));
      Thread.ofVirtual().start(link::accept);
      return link;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String address() {
    return "https://127.0.0.1:" + listener.getLocalPort();
  }

  /// From now on the connections of this moment carry nothing, and stay open. New ones work.
  void freeze() {
    connections.forEach(connection -> connection.frozen = true);
  }

  void cut() {
    connections.forEach(Connection::cut);
    connections.clear();
  }

  /// Cuts everything and takes no new connections until [#mend].
  void breakDown() {
    down = true;
    cut();
  }

  void mend() {
    down = false;
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // closed, or the API server is not there: the client sees a broken connection
      }
    }
  }

  private void connect(Socket client) throws IOException {
    try {
      if (down) {
        throw new IOException("down");
      }
      var connection = new Connection(client, new Socket(target.getHost(), target.getPort()));
      connections.add(connection);
      connection.carry();
    } catch (IOException e) {
      quietlyClose(client);
    }
  }

  private static void quietlyClose(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // closed is what we want
    }
  }
}
