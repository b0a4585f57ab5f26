package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import dev.pitcrew.device.mps.MpsPlan;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The agent's configuration of the MPS daemons, for their supervisor: a file of lines, one for
/// each daemon. Equal lines are equal daemons, and only one whose line changes is restarted. The
/// other end reads it in C, so it is no JSON; it refuses the whole file where one line is wrong.
public final class DaemonFile {
  /// Below the agent's folder on the node.
  public static final String NAME = "mps/daemons";

  /// The same for claims, beside it: the two have writers of their own.
  public static final String CLAIMS = "mps/claims";

  /// More than these make the supervisor refuse the file.
  public static final int MOST_DAEMONS = 64;

  /// Of one daemon.
  public static final int MOST_GPUS = 32;

  private static final String FIRST = "pitcrew-mps 1";
  private static final String LAST = "end";
  private static final String MULTI_USER = "multi-user";

  private DaemonFile() {}

  public static String text(MpsPlan plan) {
    return text(plan.daemons().stream().map(DaemonFile::line).toList());
  }

  /// @param lines of daemons
  public static String text(Collection<String> lines) {
    return Stream.of(Stream.of(FIRST), lines.stream(), Stream.of(LAST))
        .flatMap(it -> it)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /// The lines of a text, by the names of their daemons.
  public static Map<String, String> lines(String text) {
    return text.lines()
        .filter(line -> line.indexOf('/') > 0)
        .collect(Collectors.toMap(DaemonFile::name, line -> line, (_, last) -> last));
  }

  private static String name(String line) {
    return line.substring(0, Math.max(line.indexOf(' '), 0));
  }

  /// Such as `nvidia.com/gpu 25 0=GPU-…=4096`: the resource, the percentage of threads, and for
  /// each GPU its index, its UUID and the MiB of pinned memory.
  public static String line(MpsDaemon daemon) {
    return Stream.of(
            Stream.of(daemon.resource(), String.valueOf(daemon.threadPercentage())),
            Stream.of(MULTI_USER).filter(_ -> daemon.isMultiUser()),
            daemon.gpus().stream().map(DaemonFile::word))
        .flatMap(words -> words)
        .collect(Collectors.joining(" "));
  }

  private static String word(LimitedGpu gpu) {
    return "%s=%s=%d".formatted(gpu.index(), gpu.uuid(), gpu.pinnedMiB());
  }
}
