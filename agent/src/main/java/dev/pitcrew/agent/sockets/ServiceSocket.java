package dev.pitcrew.agent.sockets;

import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// A server on its socket file, which only root may open.
///
/// The file is made under another name and then renamed: it never exists with the wrong mode, it
/// takes the place of a stale one at once, and the server, which deletes on its end the file that
/// it made, can never delete the file of its successor.
public final class ServiceSocket {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final Duration LAST_MESSAGES = Duration.ofSeconds(1);

  private final Path path;
  private final Server server;
  private final Optional<SocketFile> identity;

  private ServiceSocket(Path path, Server server) {
    this.path = path;
    this.server = server;
    this.identity = SocketFile.at(path);
  }

  /// @param services what it serves
  /// @throws IOException where the socket cannot be made
  public static ServiceSocket open(DomainSockets sockets, Path path, BindableService... services)
      throws IOException {
    Path unfinished = path.resolveSibling("." + path.getFileName() + ".new");
    Files.deleteIfExists(unfinished);
    Server server = sockets.server(unfinished, services).start();
    try {
      Files.setPosixFilePermissions(unfinished, OWNER_ONLY);
      Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      server.shutdownNow();
      throw failure;
    }
    return new ServiceSocket(path, server);
  }

  /// Whether the file is still there and still the one that was made.
  public boolean isInPlace() {
    return identity.isPresent() && identity.equals(SocketFile.at(path));
  }

  /// Whether it was made at this path.
  public boolean isAt(Path other) {
    return path.equals(other);
  }

  /// Ends the server at once.
  public void close() {
    removeFile();
    server.shutdownNow();
  }

  /// Ends the server after the streams have got their last messages.
  public void closeGently() {
    removeFile();
    server.shutdown();
    try {
      server.awaitTermination(LAST_MESSAGES.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    server.shutdownNow();
  }

  private void removeFile() {
    if (isInPlace()) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException _) {
        // A stale file does no harm: the next start replaces it.
      }
    }
  }
}
