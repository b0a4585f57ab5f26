package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// The user's cache of programs: one folder per recipe, filled by a rename, so that a reader sees a
/// whole program or none.
final class BinaryCache implements BinarySource {
  // FileChannel locks are held by the whole JVM, so threads of one JVM need a lock of their own.
  private static final ReentrantLock ONE_THREAD = new ReentrantLock();
  private static final String WORKSHOP = ".making-";
  private final Path folder;

  BinaryCache(Path folder) {
    this.folder = folder;
  }

  /// `$PITCREW_CACHE`, else `$XDG_CACHE_HOME/pitcrew`, else `~/.cache/pitcrew`.
  static Path rootFrom(Map<String, String> environment, Path home) {
    var ours = environment.getOrDefault("PITCREW_CACHE", "");
    if (!ours.isBlank()) {
      return Path.of(ours).toAbsolutePath();
    }
    var shared = environment.getOrDefault("XDG_CACHE_HOME", "");
    // The XDG base directory specification: a relative path is invalid and to be ignored.
    var base = shared.startsWith("/") ? Path.of(shared) : home.resolve(".cache");
    return base.resolve("pitcrew");
  }

  Path pathOf(Binary binary) {
    return folder.resolve(binary.cacheKey()).resolve(binary.command());
  }

  @Override
  public Attempt obtain(Binary binary, Progress progress) {
    var path = pathOf(binary);
    return Files.isExecutable(path)
        ? new Attempt.Found(path)
        : new Attempt.NotHere("the cache has no " + path);
  }

  /// A folder on the cache's own file system, in which a program can be made and then published.
  Path workshop() throws IOException {
    Files.createDirectories(folder);
    return Files.createTempDirectory(folder, WORKSHOP);
  }

  /// Moves a finished program to its place.
  Path publish(Binary binary, Path finished) throws IOException {
    Files.setPosixFilePermissions(finished, PosixFilePermissions.fromString("rwxr-xr-x"));
    var target = pathOf(binary);
    Files.createDirectories(folder.resolve(binary.cacheKey()));
    return Files.move(finished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Keeps every other test run on this machine from making programs until it is closed.
  Lock lock(Progress progress) {
    var file = folder.resolve(".lock");
    ONE_THREAD.lock();
    try {
      Files.createDirectories(folder);
      var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        progress.line("waiting for another run that makes programs (it holds " + file + ")");
        var _ = channel.lock();
      }
      removeAbandonedWork();
      return new Lock(channel);
    } catch (IOException e) {
      ONE_THREAD.unlock();
      throw new UncheckedIOException("lock " + file, e);
    }
  }

  /// What a run left that was killed; nobody else works while the lock is held.
  private void removeAbandonedWork() throws IOException {
    try (var abandoned = Files.newDirectoryStream(folder, WORKSHOP + "*")) {
      for (var workshop : abandoned) {
        new Workshop(workshop).close();
      }
    }
  }

  /// Held while programs are made; closing the channel gives the file lock back.
  record Lock(FileChannel channel) implements AutoCloseable {
    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException("unlock the binary cache", e);
      } finally {
        ONE_THREAD.unlock();
      }
    }
  }
}
