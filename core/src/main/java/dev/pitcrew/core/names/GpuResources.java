package dev.pitcrew.core.names;

import java.util.regex.Pattern;

/// Which extended resources are GPUs, or parts of them: those of NVIDIA's device plugins. Network
/// cards have names in the same domain, by the RDMA and SR-IOV device plugins.
public final class GpuResources {
  /// The device plugin offers `gpu` and `mig-…`, and their replicas as `….shared`; it gives no
  /// other names, whatever its configuration says. The sandbox device plugins offer `pgpu` and
  /// `vgpu`, or boards and types of vGPU in capitals, such as `GRID_T4-4Q`.
  private static final Pattern NAME = Pattern.compile("nvidia\\.com/(gpu|mig-|pgpu|vgpu|[A-Z]).*");

  private GpuResources() {}

  /// Whether a holder of one of these has a GPU.
  ///
  /// @param resource as pods ask for it, such as `nvidia.com/gpu`
  public static boolean isGpu(String resource) {
    return NAME.matcher(resource).matches();
  }
}
