package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.SpecificationFolder;
import java.nio.file.Path;

/// Where prepared claims are kept.
///
/// @param plugin the driver's folder with kubelet, such as
///   `/var/lib/kubelet/plugins/gpu.nvidia.com`
/// @param cdi the folder of the CDI files of claims
/// @param node its name, which is the name of its pool
/// @param bootId the kernel's id of the current boot: no prepared claim outlives it
public record ClaimPlaces(Path plugin, SpecificationFolder cdi, String node, String bootId) {
  static final String CHECKPOINT = "checkpoint.json";

  Path checkpoint() {
    return plugin.resolve(CHECKPOINT);
  }
}
