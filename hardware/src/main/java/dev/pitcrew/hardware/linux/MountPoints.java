package dev.pitcrew.hardware.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What is mounted in the mount namespace of this process.
public final class MountPoints {
  private static final Path TABLE = Path.of("/proc/self/mountinfo");
  private static final int POINT = 4;
  private static final int MNT_DETACH = 2;

  private MountPoints() {}

  /// Detaches everything that is mounted on a folder and below it, at once; a process that has
  /// files open there keeps them.
  ///
  /// @return why something is still mounted
  public static Optional<String> detach(Path folder) {
    List<Path> points;
    try {
      points = at(folder);
    } catch (IOException e) {
      return Optional.of("what is mounted cannot be read: " + e);
    }
    // The last that was mounted first: it may cover others.
    for (Path point : points.reversed()) {
      int errno = SystemCalls.unmount(point.toString(), MNT_DETACH);
      if (errno != 0) {
        return Optional.of("%s cannot be unmounted (errno %d)".formatted(point, errno));
      }
    }
    return Optional.empty();
  }

  private static List<Path> at(Path folder) throws IOException {
    try (var lines = Files.lines(TABLE)) {
      return lines
          .map(line -> Path.of(line.split(" ", -1)[POINT].replace("\\040", " ")))
          .filter(point -> point.startsWith(folder))
          .toList();
    }
  }
}
