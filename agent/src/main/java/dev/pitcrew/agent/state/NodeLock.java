package dev.pitcrew.agent.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One agent a node: the holder of the lock of the agent's folder acts, and a second one waits. The
/// kernel gives it to the next when its holder dies, however it dies. Where the folder cannot be
/// written there is no lock: a node whose disk is read-only still needs its agent.
public final class NodeLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLock.class);
  private static final String NAME = "agent.lock";

  private final Optional<FileChannel> file;
  private boolean isOurs;

  private NodeLock(Optional<FileChannel> file, boolean isOurs) {
    this.file = file;
    this.isOurs = isOurs;
  }

  /// Takes it where it is free, without waiting.
  public static NodeLock in(Path folder) throws IOException {
    Optional<FileChannel> opened = open(folder);
    return new NodeLock(opened, opened.isEmpty() || isFree(opened.get()));
  }

  private static Optional<FileChannel> open(Path folder) {
    Path path = folder.resolve(NAME);
    try {
      Files.createDirectories(folder);
      return Optional.of(
          FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    } catch (IOException e) {
      LOG.atWarn().setCause(e).log("{} cannot be written; going on without a lock", path);
      return Optional.empty();
    }
  }

  private static boolean isFree(FileChannel file) throws IOException {
    try {
      return file.tryLock() != null;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /// Whether we may act.
  public boolean isOurs() {
    return isOurs;
  }

  /// Waits until we may act. The kernel wakes who waits at the moment at which it is given up.
  public void await() throws IOException {
    if (!isOurs && file.isPresent()) {
      file.get().lock();
      isOurs = true;
    }
  }

  /// Releases it to a waiting agent.
  @Override
  public void close() throws IOException {
    if (file.isPresent()) {
      file.get().close();
    }
  }
}
