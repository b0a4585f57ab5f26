package dev.pitcrew.testbed.trouble;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A network link to the API server that can fail in the ways that networks do.
public final class Link implements AutoCloseable {

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
          if (!frozen) { // bytes are dropped, and neither side is notified
            out.write(buffer, 0, length);
          }
        }
      } catch (IOException _) {
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
  private final AtomicInteger opened = new AtomicInteger();
  private final Semaphore failures = new Semaphore(0);
  private volatile boolean down;
  private volatile boolean mute;

  private Link(URI target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /// @param address of the API server
  public static Link to(String address) {
    try {
      var link = new Link(URI.create(address));
      Thread.ofVirtual().start(link::accept);
      return link;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// This end of it.
  public URI address() {
    return URI.create("https://127.0.0.1:" + listener.getLocalPort());
  }

  /// How many connections have been asked for so far.
  public int opened() {
    return opened.get();
  }

  /// Writes a kubeconfig of a user with every right that leads through this link.
  public Path kubeconfig(ControlPlane plane, Path folder) {
    return kubeconfig(plane, plane.kubeconfigFile(), folder);
  }

  /// Writes a copy of a kubeconfig of the control plane that leads through this link.
  public Path kubeconfig(ControlPlane plane, Path direct, Path folder) {
    try {
      String text = Files.readString(direct);
      return Files.writeString(
          folder.resolve("kubeconfig"),
          text.replace(plane.apiServerAddress(), address().toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From now on the connections of this moment carry nothing, and stay open. New ones work.
  public void freeze() {
    connections.forEach(connection -> connection.frozen = true);
  }

  /// Cuts the connections of this moment.
  public void cut() {
    connections.forEach(Connection::cut);
    connections.clear();
  }

  /// The same, and new connections are taken and carry nothing either, until [#speak].
  public void fallSilent() {
    mute = true;
    freeze();
  }

  /// Ends the silence for connections that are opened from now on.
  public void speak() {
    mute = false;
  }

  /// Waits until so many new connections have come to nothing since the last call.
  public boolean awaitFailures(int count, Duration limit) throws InterruptedException {
    return failures.tryAcquire(count, limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Cuts everything and takes no new connections until the link is restored.
  public void breakDown() {
    down = true;
    cut();
  }

  /// Takes connections again.
  public void restore() {
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
      } catch (IOException _) {
        // closed, or the API server is not there: the client sees a broken connection
      }
    }
  }

  private void connect(Socket client) {
    opened.incrementAndGet();
    if (down || mute) {
      failures.release();
    }
    try {
      if (down) {
        throw new IOException("down");
      }
      var connection = new Connection(client, new Socket(target.getHost(), target.getPort()));
      connection.frozen = mute;
      connections.add(connection);
      connection.carry();
    } catch (IOException _) {
      quietlyClose(client);
    }
  }

  private static void quietlyClose(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // closed is what we want
    }
  }
}
