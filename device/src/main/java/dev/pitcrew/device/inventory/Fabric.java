package dev.pitcrew.device.inventory;

import java.util.UUID;

/// Whether a GPU belongs to a multi-node NVLink fabric (nvmlGpuFabricInfo).
public sealed interface Fabric {

  /// It does not, or not yet: the fabric manager has not completed.
  record NotAttached() implements Fabric {}

  /// GPUs with the same `cluster` and `clique` reach each other over NVLink.
  record Attached(UUID cluster, int clique) implements Fabric {}
}
