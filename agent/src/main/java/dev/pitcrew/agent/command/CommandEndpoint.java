package dev.pitcrew.agent.command;

import dev.pitcrew.core.ThreadEnd;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the gate hands the agent a command line of the agent's container, which for most commands
/// saves a second JVM. The protocol is that of native/gate/README.md.
///
/// Only root gets in, through a folder of its own. A client that is slow, or sends too much or no
/// valid request, is disconnected, and the gate starts a JVM.
final class CommandEndpoint implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CommandEndpoint.class);

  /// How long a client may take to ask, and to read its answer.
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Duration AFTER_A_FAULT = Duration.ofSeconds(1);
  private static final int MOST_CLIENTS = 4;
  private static final int BACKLOG = 16;
  private static final int LONGEST_REQUEST = 8 * 1024;
  private static final int HEAD = 10;
  private static final byte RECEIVED = 'r';
  private static final byte ANSWERED = 'a';
  private static final byte DECLINED = 'd';

  private final Path socket;
  private final ServerSocketChannel listener;
  private final Function<List<String>, Reply> commands;
  private final Duration timeout;
  private final Semaphore places = new Semaphore(MOST_CLIENTS);
  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
  private final StopSignal stop = new StopSignal();
  private final Thread thread = Thread.ofVirtual().name("commands").unstarted(this::accept);

  /// What came of a command line.
  sealed interface Reply {
    /// It is left to a process of its own.
    record Declined() implements Reply {}

    /// @param exitCode 0 to 255
    record Done(int exitCode, ByteBuffer errors, ByteBuffer output) implements Reply {}
  }

  private CommandEndpoint(
      Path socket,
      ServerSocketChannel listener,
      Function<List<String>, Reply> commands,
      Duration timeout) {
    this.socket = socket;
    this.listener = listener;
    this.commands = commands;
    this.timeout = timeout;
  }

  /// Listens, in place of an agent that was killed. Empty where that cannot be done: every command
  /// is a process of its own then.
  static Optional<CommandEndpoint> open(Path socket, Function<List<String>, Reply> commands) {
    return open(socket, commands, TIMEOUT);
  }

  static Optional<CommandEndpoint> open(
      Path socket, Function<List<String>, Reply> commands, Duration timeout) {
    try {
      var endpoint = new CommandEndpoint(socket, listen(socket), commands, timeout);
      endpoint.thread.start();
      return Optional.of(endpoint);
    } catch (IOException e) {
      LOG.atWarn()
          .setCause(e)
          .log("commands in this container start a JVM each: cannot listen at {}", socket);
      return Optional.empty();
    }
  }

  /// The folder is closed to others before the socket is there.
  private static ServerSocketChannel listen(Path socket) throws IOException {
    Path folder = Objects.requireNonNull(socket.toAbsolutePath().getParent());
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Files.deleteIfExists(socket);
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listener.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      return listener;
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  private void accept() {
    boolean isOpen = true;
    while (isOpen) {
      try {
        admit(listener.accept());
      } catch (ClosedChannelException _) {
        isOpen = false;
      } catch (IOException e) {
        LOG.atWarn().setCause(e).log("a client at {} was not accepted", socket);
        isOpen = passes(AFTER_A_FAULT);
      }
    }
  }

  private boolean passes(Duration time) {
    try {
      return stop.passes(Optional.of(time));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void admit(SocketChannel client) throws IOException {
    if (places.tryAcquire()) {
      clients.execute(() -> serve(client));
    } else {
      client.close();
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      Optional<List<String>> words = inTime(client, () -> words(client));
      if (words.isPresent()) {
        inTime(client, () -> write(client, ByteBuffer.wrap(new byte[] {RECEIVED})));
        Reply reply = commands.apply(words.get());
        inTime(client, () -> write(client, reply));
      }
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("a client at {} is gone", socket);
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a command failed");
    } finally {
      places.release();
    }
  }

  private interface Exchange<T> {
    T run() throws IOException;
  }

  /// Closes the client under an exchange that takes too long.
  private <T> T inTime(SocketChannel client, Exchange<T> exchange) throws IOException {
    var over = new StopSignal();
    Thread clock = Thread.ofVirtual().name("timeout").start(() -> closeUnless(over, client));
    try {
      return exchange.run();
    } finally {
      over.raise();
      clock.interrupt();
    }
  }

  private void closeUnless(StopSignal over, SocketChannel client) {
    try {
      if (over.passes(Optional.of(timeout))) {
        client.close();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("a client at {} is gone", socket);
    }
  }

  /// Empty where it is not a command line, or too long a one.
  private static Optional<List<String>> words(SocketChannel client) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(LONGEST_REQUEST);
    boolean isOpen = true;
    while (isOpen && request.hasRemaining() && !isWhole(request)) {
      isOpen = client.read(request) >= 0;
    }
    return isWhole(request) ? split(request.flip()) : Optional.empty();
  }

  private static boolean isWhole(ByteBuffer request) {
    int end = request.position();
    return end > 1 && request.get(end - 1) == 0 && request.get(end - 2) == 0;
  }

  /// A word that is no text cannot be handed on as it is.
  private static Optional<List<String>> split(ByteBuffer request) throws IOException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(request).toString();
    var words = List.of(text.substring(0, text.length() - 2).split("\0", -1));
    return Optional.of(words).filter(it -> !it.contains(""));
  }

  private static int write(SocketChannel client, Reply reply) throws IOException {
    var head = ByteBuffer.allocate(HEAD);
    var parts = new ArrayList<>(List.of(head));
    switch (reply) {
      case Reply.Declined() -> head.put(DECLINED).position(HEAD);
      case Reply.Done(var exitCode, var errors, var output) -> {
        head.put(ANSWERED).put((byte) exitCode);
        head.putInt(errors.remaining()).putInt(output.remaining());
        parts.addAll(List.of(errors.duplicate(), output.duplicate()));
      }
    }
    head.flip();
    return write(client, parts.toArray(ByteBuffer[]::new));
  }

  private static int write(SocketChannel client, ByteBuffer... parts) throws IOException {
    int written = 0;
    for (ByteBuffer part : parts) {
      while (part.hasRemaining()) {
        written += client.write(part);
      }
    }
    return written;
  }

  @Override
  public void close() {
    stop.raise();
    try {
      Files.deleteIfExists(socket);
      listener.close();
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} is left behind", socket);
    }
    ThreadEnd.of(thread);
    clients.shutdownNow();
  }
}
