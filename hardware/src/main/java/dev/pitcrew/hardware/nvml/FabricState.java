package dev.pitcrew.hardware.nvml;

import dev.pitcrew.device.inventory.Fabric;
import java.util.UUID;

/// What a GPU says of its NVLink fabric (nvmlGpuFabricInfo_t).
///
/// @param state of the registration with the fabric manager; 3 is completed
/// @param status an nvmlReturn_t that counts once the state is completed
public record FabricState(UUID cluster, int clique, int state, int status) {
  private static final int NOT_STARTED = 1;
  private static final int IN_PROGRESS = 2;
  private static final int COMPLETED = 3;
  private static final UUID NONE = new UUID(0, 0);

  /// The resulting state. No fabric, or a state of a newer library, does not hold the GPU back.
  public Fabric fabric() {
    return switch (state) {
      case NOT_STARTED -> new Fabric.Pending("not started");
      case IN_PROGRESS -> new Fabric.Pending("in progress");
      case COMPLETED -> completed();
      default -> new Fabric.NotAttached();
    };
  }

  private Fabric completed() {
    if (status != 0) {
      return new Fabric.Pending("failed: " + NvmlError.of(status).meaning());
    }
    return cluster.equals(NONE) ? new Fabric.NotAttached() : new Fabric.Attached(cluster, clique);
  }
}
