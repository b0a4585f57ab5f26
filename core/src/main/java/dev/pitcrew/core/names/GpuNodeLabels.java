package dev.pitcrew.core.names;

/// Labels of GPUNodes, by which users select them. The agent of the node writes them.
public final class GpuNodeLabels {
  /// The level of the GPU that is worst, such as `NeedsReset`.
  public static final String HEALTH = "pitcrew.dev/health";

  /// The status of the condition Ready in small letters.
  public static final String READY = "pitcrew.dev/ready";

  /// The products of its GPUs, such as `H100-80GB-HBM3`.
  public static final String PRODUCT = "pitcrew.dev/product";

  /// The version of its driver.
  public static final String DRIVER = "pitcrew.dev/driver";

  private GpuNodeLabels() {}
}
