package dev.pitcrew.device.inventory;

import java.util.UUID;

/// Whether a GPU belongs to a multi-node NVLink fabric (nvmlGpuFabricInfo).
public sealed interface Fabric {

  /// It belongs to none, or its board reports none.
  record NotAttached() implements Fabric {}

  /// It is to be set up by a fabric manager which has not done so: no program can use the GPU yet.
  ///
  /// @param progress how far it is, in words
  record Pending(String progress) implements Fabric {}

  /// GPUs with the same `cluster` and `clique` reach each other over NVLink.
  record Attached(UUID cluster, int clique) implements Fabric {
    /// The name of the clique in the cluster, as the label `nvidia.com/gpu.clique` and
    /// ComputeDomainCliques have it.
    public String id() {
      return cluster + "." + clique;
    }
  }
}
