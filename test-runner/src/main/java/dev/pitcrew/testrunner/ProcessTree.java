package dev.pitcrew.testrunner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;

/// The processor time of processes, from `/proc` (proc_pid_stat(5): user and system time of the
/// process and of the children that it has waited for, in hundredths of a second).
final class ProcessTree {
  private static final int FIRST_TIME = 11;
  private static final int TIMES = 4;
  private static final int MILLIS_A_TICK = 10;

  private ProcessTree() {}

  /// What a process, its living descendants and those that have ended have used so far; zero where
  /// there is no such file system.
  static Duration cpu(long pid) {
    var descendants =
        ProcessHandle.of(pid).stream()
            .flatMap(ProcessHandle::descendants)
            .mapToLong(ProcessHandle::pid);
    var ticks = LongStream.concat(LongStream.of(pid), descendants).map(ProcessTree::ticks).sum();
    return Duration.ofMillis(ticks * MILLIS_A_TICK);
  }

  private static long ticks(long pid) {
    try {
      var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The name in parentheses may hold spaces.
      var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      var sum = 0L;
      for (var index = FIRST_TIME; index < FIRST_TIME + TIMES; index++) {
        sum += Long.parseLong(fields[index]);
      }
      return sum;
    } catch (IOException _) {
      return 0;
    }
  }
}
