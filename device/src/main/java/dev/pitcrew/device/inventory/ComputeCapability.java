package dev.pitcrew.device.inventory;

/// The CUDA compute capability, such as 9.0.
public record ComputeCapability(int major, int minor) {
  @Override
  public String toString() {
    return major + "." + minor;
  }
}
