package dev.pitcrew.agent.dra.claims;

import java.nio.file.Path;

/// Where a DRA driver keeps its prepared claims.
///
/// @param folder the driver's folder with kubelet, such as
///   `/var/lib/kubelet/plugins/gpu.nvidia.com`
/// @param node its name, which is the name of its pool
/// @param bootId the kernel's id of the current boot: no prepared claim outlives it
public record CheckpointPlace(Path folder, String node, String bootId) {
  static final String NAME = "checkpoint.json";

  public Path file() {
    return folder.resolve(NAME);
  }
}
