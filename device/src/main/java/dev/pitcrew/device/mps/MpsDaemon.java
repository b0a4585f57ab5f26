package dev.pitcrew.device.mps;

import java.util.List;

/// The control daemon of one shared resource, or of a ResourceClaim.
///
/// @param resource its full name, or `claims/` and the id of a claim's daemon
/// @param threadPercentage how much of a GPU's threads one client may use; 0 for a claim without a
///   limit
/// @param isMultiUser whether clients of several users may share a server; for claims only
public record MpsDaemon(
    String resource, int threadPercentage, boolean isMultiUser, List<LimitedGpu> gpus) {
  /// What names of claims begin with. A resource has a domain, which has a dot.
  public static final String CLAIMS = "claims/";

  public MpsDaemon {
    gpus = List.copyOf(gpus);
  }

  public MpsDaemon(String resource, int threadPercentage, List<LimitedGpu> gpus) {
    this(resource, threadPercentage, false, gpus);
  }

  /// @param index by which the daemon knows the GPU
  /// @param pinnedMiB how much of its memory one client may take; 0 for no limit
  public record LimitedGpu(String index, String uuid, long pinnedMiB) {}
}
