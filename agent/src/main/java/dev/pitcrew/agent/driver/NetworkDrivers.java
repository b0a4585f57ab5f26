package dev.pitcrew.agent.driver;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevices;
import java.util.Optional;

/// The network drivers that come before the GPU driver where GPUs and network cards exchange data
/// directly (GPUDirect RDMA).
///
/// @param isWanted whether this driver has that
/// @param isOnHost whether the host brings them, and not a container
public record NetworkDrivers(boolean isWanted, boolean isOnHost) {
  private static final int MELLANOX = 0x15b3;
  static final String READY_FOLDER = "/run/mellanox/drivers";
  static final String READY_FILE = ".driver-ready";

  /// What is still missing.
  Optional<String> lack(HostRoot root) {
    boolean hasCard =
        isWanted
            && new PciDevices(root)
                .all().stream().anyMatch(device -> device.identity().vendor() == MELLANOX);
    if (!hasCard) {
      return Optional.empty();
    }
    return isOnHost ? onHost(root) : ofContainer(root);
  }

  private static Optional<String> onHost(HostRoot root) {
    boolean isLoaded =
        root.text("/proc/modules").orElse("").lines().anyMatch(it -> it.startsWith("mlx5_core "));
    return isLoaded
        ? Optional.empty()
        : Optional.of("the host to load mlx5_core (USE_HOST_MOFED is true)");
  }

  private static Optional<String> ofContainer(HostRoot root) {
    String file = READY_FOLDER + "/" + READY_FILE;
    return root.exists(file)
        ? Optional.empty()
        : Optional.of("the network operator's driver to write " + file);
  }
}
