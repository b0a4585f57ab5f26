package dev.pitcrew.device.mig;

/// Where a GPU instance lies on its GPU, in memory slices (nvmlGpuInstancePlacement_t).
public record Placement(int start, int size) {

  public boolean overlaps(Placement other) {
    return start < other.start + other.size && other.start < start + size;
  }

  /// The slices as bits, the first slice the lowest.
  public int mask() {
    return ((1 << size) - 1) << start;
  }
}
