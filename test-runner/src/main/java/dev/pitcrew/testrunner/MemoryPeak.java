package dev.pitcrew.testrunner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The most memory that programs of this machine have in use at once (MemTotal less MemAvailable of
/// proc_meminfo(5)), looked at every second.
final class MemoryPeak {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final int KIBIBYTES_A_MEBIBYTE = 1024;
  private final AtomicLong peak = new AtomicLong();

  private MemoryPeak() {}

  static MemoryPeak start() {
    var memory = new MemoryPeak();
    var _ =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())
            .scheduleAtFixedRate(memory::look, 0, 1, TimeUnit.SECONDS);
    return memory;
  }

  private void look() {
    try {
      var lines = Files.readAllLines(MEMINFO);
      long total = 0;
      long available = 0;
      for (var line : lines) {
        if (line.startsWith("MemTotal:")) {
          total = kibibytes(line);
        } else if (line.startsWith("MemAvailable:")) {
          available = kibibytes(line);
        }
      }
      peak.accumulateAndGet((total - available) / KIBIBYTES_A_MEBIBYTE, Math::max);
    } catch (IOException _) {
      // Not Linux: the figure stays 0.
    }
  }

  private static long kibibytes(String line) {
    return Long.parseLong(line.replaceAll("\\D", ""));
  }

  long mebibytes() {
    return peak.get();
  }
}
