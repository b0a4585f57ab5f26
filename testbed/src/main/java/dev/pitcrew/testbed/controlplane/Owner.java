package dev.pitcrew.testbed.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The JVM that a work directory belongs to. A process id alone proves nothing: ids come round
/// again, so the moment of its start belongs to it.
public record Owner(long pid, Instant started) {
  static final String FILE = ".owned";
  // The start is computed from the time since boot, which the kernel rounds and clocks correct.
  private static final Duration TOLERANCE = Duration.ofSeconds(2);

  static Owner thisProcess() {
    var self = ProcessHandle.current();
    return new Owner(self.pid(), self.info().startInstant().orElse(Instant.EPOCH));
  }

  /// Nothing when the directory is not, or no longer, a work directory.
  public static Optional<Owner> of(Path directory) {
    try {
      var words = Files.readString(directory.resolve(FILE)).strip().split(" ", -1);
      return Optional.of(
          new Owner(Long.parseLong(words[0]), Instant.ofEpochMilli(Long.parseLong(words[1]))));
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException _) {
      return Optional.empty();
    }
  }

  /// The process, if it still is the one that took the directory.
  public Optional<ProcessHandle> process() {
    return ProcessHandle.of(pid).filter(this::startedThen);
  }

  String text() {
    return pid + " " + started.toEpochMilli();
  }

  private boolean startedThen(ProcessHandle process) {
    var actual = process.info().startInstant().orElse(Instant.EPOCH);
    return Duration.between(started, actual).abs().compareTo(TOLERANCE) <= 0;
  }
}
