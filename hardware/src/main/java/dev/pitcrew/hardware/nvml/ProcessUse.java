package dev.pitcrew.hardware.nvml;

import java.util.List;

/// What one process uses of a GPU. What NVML does not report is NaN.
///
/// @param gpuInstance [#NO_INSTANCE] where it uses the whole GPU
/// @param memoryBytes of the GPU's memory
/// @param utilisation percent of the time in which it ran on the GPU, as the driver estimates it;
///   none on a GPU that is divided by MIG
public record ProcessUse(int processId, int gpuInstance, double memoryBytes, double utilisation) {
  /// What stands for no instance.
  public static final int NO_INSTANCE = -1;

  /// All processes of one GPU.
  ///
  /// @param sinceNanos by System.nanoTime: the utilisation is of the time since then
  public record Processes(List<ProcessUse> all, long sinceNanos) {
    public static final Processes NONE = new Processes(List.of(), 0);

    public Processes {
      all = List.copyOf(all);
    }
  }
}
