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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// The user's cache of programs: one folder per recipe, filled by a rename, so that a reader sees a
/// whole program or none.
final class BinaryCache implements BinarySource {
  // FileChannel locks are held by the whole JVM, so threads of one JVM need locks of their own.
  private static final Map<Path, ReentrantLock> ONE_THREAD = new ConcurrentHashMap<>();
  private static final String WORKSHOP = ".making-";
  private final Path folder;

  BinaryCache(Path folder) {
    this.folder = folder;
  }

  static BinaryCache ofThisUser() {
    return new BinaryCache(rootOfThisUser().resolve("binaries"));
  }

  static Path rootOfThisUser() {
    return rootFrom(System.getenv(), Path.of(System.getProperty("user.home", "/")));
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

  /// A folder on the cache's own file system, in which programs of a module can be made and then
  /// published.
  Path workshop(ToolModule module) throws IOException {
    Files.createDirectories(folder);
    return Files.createTempDirectory(folder, workshops(module));
  }

  private static String workshops(ToolModule module) {
    return WORKSHOP + module.project() + "-";
  }

  /// Moves a finished program to its place.
  Path publish(Binary binary, Path finished) throws IOException {
    Files.setPosixFilePermissions(finished, PosixFilePermissions.fromString("rwxr-xr-x"));
    var target = pathOf(binary);
    Files.createDirectories(folder.resolve(binary.cacheKey()));
    return Files.move(finished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Keeps every other run on this machine from making programs of `module` until it is closed. Who
  /// only looks for a program that is there never needs it.
  Lock lock(ToolModule module, Progress progress) {
    var file = folder.toAbsolutePath().resolve(".lock-" + module.project());
    var oneThread = ONE_THREAD.computeIfAbsent(file, _ -> new ReentrantLock());
    oneThread.lock();
    try {
      Files.createDirectories(folder);
      var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        progress.line("waiting for another run that makes them (it holds " + file + ")");
        var _ = channel.lock();
      }
      removeAbandonedWork(module);
      return new Lock(channel, oneThread);
    } catch (IOException e) {
      oneThread.unlock();
      throw new UncheckedIOException("lock " + file, e);
    }
  }

  /// Removes what a killed run left; no other run works on the module while the lock is held.
  private void removeAbandonedWork(ToolModule module) throws IOException {
    try (var abandoned = Files.newDirectoryStream(folder, workshops(module) + "*")) {
      for (var workshop : abandoned) {
        new Workshop(workshop).close();
      }
    }
  }

  /// Held while programs are made; closing the channel gives the file lock back.
  record Lock(FileChannel channel, ReentrantLock oneThread) implements AutoCloseable {
    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException("unlock the binary cache", e);
      } finally {
        oneThread.unlock();
      }
    }
  }
}
