package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.driver.CudaFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Checks GPUs, one after the other: each check takes memory of the node for its second.
///
/// @param driverRoot where the driver's files are
/// @param links a folder of this check's own, for links to the driver's libraries
/// @param deadline for each GPU
public record CudaCheck(HostRoot driverRoot, Path links, Duration deadline) {

  /// What a GPU takes whose driver has no persistence daemon, and some more.
  public static final Duration USUAL_DEADLINE = Duration.ofSeconds(30);

  /// @throws IOException where a child process cannot be started, or the links cannot be made
  public List<CheckedGpu> of(List<CudaTarget> targets) throws IOException, InterruptedException {
    var checked = new ArrayList<CheckedGpu>();
    for (CudaTarget target : targets) {
      checked.add(new CheckedGpu(target.name(), target.uuid(), of(target)));
    }
    return List.copyOf(checked);
  }

  /// @throws IOException as [#of(List)]
  public CudaOutcome of(CudaTarget target) throws IOException, InterruptedException {
    CudaFolder cuda = CudaFolder.of(driverRoot, links);
    return CudaChild.check(target, cuda, deadline, ContainerMemory.ofThisProcess());
  }

  /// Whether a process that uses a GPU is a check, be it one of an earlier agent that hangs: it
  /// proves nothing.
  public static boolean isCheck(long processId) {
    return CudaChild.isCheck(processId);
  }
}
