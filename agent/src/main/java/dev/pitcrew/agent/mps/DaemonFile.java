package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsDaemon.LimitedGpu;
import dev.pitcrew.device.mps.MpsPlan;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The agent's configuration of the MPS daemons, for their supervisor: a file of lines, one for
/// each daemon. Equal lines are equal daemons, and only one whose line changes is restarted. The
/// other end reads it in C, so it is no JSON; it refuses the whole file where one line is wrong.
public final class DaemonFile {
  /// Below the agent's folder on the node.
  public static final String NAME = "mps/daemons";

  private static final String FIRST = "pitcrew-mps 1";
  private static final String LAST = "end";

  private DaemonFile() {}

  public static String text(MpsPlan plan) {
    return Stream.of(
            Stream.of(FIRST), plan.daemons().stream().map(DaemonFile::line), Stream.of(LAST))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /// Such as `nvidia.com/gpu 25 0=GPU-…=4096`: the resource, the percentage of threads, and for
  /// each GPU its index, its UUID and the MiB of pinned memory.
  static String line(MpsDaemon daemon) {
    return Stream.concat(
            Stream.of(daemon.resource(), String.valueOf(daemon.threadPercentage())),
            daemon.gpus().stream().map(DaemonFile::word))
        .collect(Collectors.joining(" "));
  }

  private static String word(LimitedGpu gpu) {
    return "%s=%s=%d".formatted(gpu.index(), gpu.uuid(), gpu.pinnedMiB());
  }
}
