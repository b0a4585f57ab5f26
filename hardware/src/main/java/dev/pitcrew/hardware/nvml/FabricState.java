package dev.pitcrew.hardware.nvml;

import java.util.UUID;

/// What a GPU says of its NVLink fabric (nvmlGpuFabricInfo_t).
///
/// @param state of the registration with the fabric manager; 3 is completed
/// @param status an nvmlReturn_t that counts once the state is completed
public record FabricState(UUID cluster, int clique, int state, int status) {
  private static final int COMPLETED = 3;
  private static final UUID NONE = new UUID(0, 0);

  /// Whether the GPU belongs to a fabric and can use it.
  public boolean isAttached() {
    return state == COMPLETED && status == 0 && !cluster.equals(NONE);
  }
}
