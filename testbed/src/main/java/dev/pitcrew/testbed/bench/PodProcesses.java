package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The processes of a pod on this machine, found by their cgroup, the oldest first.
record PodProcesses(List<OfPod> all) {
  private static final Path PROC = Path.of("/proc");
  private static final int PARENT = 1;
  private static final int START_TICKS = 19;

  /// USER_HZ, which Linux fixes for every architecture that a JDK exists for.
  private static final long MILLIS_PER_TICK = 10;

  /// @param startMillis since the machine was started
  record OfPod(long id, long parent, String name, long startMillis) {
    Path folder() {
      return PROC.resolve(Long.toString(id));
    }

    /// To two hundredths of a second, which is as fine as Linux reports it.
    Instant started() {
      var upMillis =
          Math.round(Double.parseDouble(text(PROC.resolve("uptime")).split(" ", 2)[0]) * 1000);
      return Instant.now().minus(Duration.ofMillis(upMillis - startMillis));
    }
  }

  PodProcesses {
    all = all.stream().sorted(Comparator.comparingLong(OfPod::startMillis)).toList();
  }

  static PodProcesses of(String podUid) {
    var isOfPod = Pattern.compile("pod" + podUid).asPredicate();
    return new PodProcesses(
        ProcessHandle.allProcesses()
            .filter(process -> isOfPod.test(textOrEmpty(process.pid(), "cgroup")))
            .flatMap(process -> read(process.pid()).stream())
            .toList());
  }

  /// The entry point of the container; a probe has its name too and came later.
  Optional<OfPod> gate() {
    return all.stream().filter(process -> process.name().equals("pitcrew")).findFirst();
  }

  /// The Java process that the gate has started.
  Optional<OfPod> agent() {
    return gate()
        .flatMap(gate ->
            all.stream()
                .filter(process -> process.parent() == gate.id())
                .filter(process -> process.name().equals("java"))
                .findFirst());
  }

  private static Optional<OfPod> read(long id) {
    var stat = textOrEmpty(id, "stat");
    // The name is in parentheses and may hold anything, so fields count from its end.
    var end = stat.lastIndexOf(')');
    if (end < 0) {
      return Optional.empty();
    }
    var name = stat.substring(stat.indexOf('(') + 1, end);
    var fields = stat.substring(end + 2).split(" ", -1);
    return Optional.of(
        new OfPod(
            id,
            Long.parseLong(fields[PARENT]),
            name,
            Long.parseLong(fields[START_TICKS]) * MILLIS_PER_TICK));
  }

  /// Processes come and go while they are looked at.
  private static String textOrEmpty(long id, String file) {
    try {
      return Files.readString(PROC.resolve(Long.toString(id)).resolve(file));
    } catch (IOException _) {
      return "";
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }
}
