package dev.pitcrew.hardware.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// An exclusive lock on a file by flock(2), as programs in Go take it. The JDK's file locks are
/// those of fcntl(2), which do not exclude it. The kernel releases it when the process ends.
public final class Flock implements AutoCloseable {
  private static final int READ_WRITE = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int EXCLUSIVE_WITHOUT_WAITING = 2 | 4;
  private static final int WOULD_BLOCK = 11;

  private final int file;

  private Flock(int file) {
    this.file = file;
  }

  /// Takes the lock where it is free, without waiting. A missing file is made.
  ///
  /// @return empty where another process, or another lock of this one, has it
  /// @throws IOException where the file cannot be made, opened or locked
  public static Optional<Flock> take(Path path) throws IOException {
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException _) {
      // Usually: it stays when a lock is released.
    }
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Libc.ERRNO_STATE);
      int file = Libc.open(arena.allocateFrom(path.toString()), READ_WRITE | CLOSE_ON_EXEC, state);
      if (file < 0) {
        throw new IOException("open of %s: errno %d".formatted(path, -file));
      }
      int errno = Libc.flock(file, EXCLUSIVE_WITHOUT_WAITING, state);
      if (errno == 0) {
        return Optional.of(new Flock(file));
      }
      Libc.close(file);
      if (errno == WOULD_BLOCK) {
        return Optional.empty();
      }
      throw new IOException("flock of %s: errno %d".formatted(path, errno));
    }
  }

  /// Releases the lock. To be called once.
  @Override
  public void close() {
    Libc.close(file);
  }
}
