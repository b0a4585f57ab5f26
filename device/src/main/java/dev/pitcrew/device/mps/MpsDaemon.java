package dev.pitcrew.device.mps;

import java.util.List;

/// The control daemon of one shared resource.
///
/// @param resource its full name
/// @param threadPercentage how much of a GPU's threads one client may use
public record MpsDaemon(String resource, int threadPercentage, List<LimitedGpu> gpus) {
  public MpsDaemon {
    gpus = List.copyOf(gpus);
  }

  /// @param index by which the daemon knows the GPU
  /// @param pinnedMiB how much of its memory one client may take; 0 where that is not known
  public record LimitedGpu(String index, String uuid, long pinnedMiB) {}
}
