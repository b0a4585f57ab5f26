package dev.pitcrew.device.inventory;

/// What a MIG device has (nvmlDeviceAttributes_t).
public record MigAttributes(
    int multiprocessors,
    int gpuInstanceSlices,
    int computeInstanceSlices,
    Engines engines,
    long memoryMiB) {

  /// Engines that the MIG devices of one GPU instance share.
  public record Engines(int copy, int decoder, int encoder, int jpeg, int ofa) {}
}
