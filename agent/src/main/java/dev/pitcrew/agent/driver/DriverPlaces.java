package dev.pitcrew.agent.driver;

import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;

/// Where the driver and what its container leaves are.
///
/// @param root under which `/sys`, `/proc` and `/run/nvidia` of the node are: that of this process
/// @param host the host's `/`, whose programs are run as the host has them
public record DriverPlaces(HostRoot root, HostRoot host) {
  /// Where a driver container mounts its root.
  Path driver() {
    return root.place("/run/nvidia/driver");
  }

  Path processFile() {
    return root.place("/run/nvidia/nvidia-driver.pid");
  }

  /// The digest of the driver that is loaded, which its container wrote when it was done.
  Path digestFile() {
    return root.place("/run/nvidia/nvidia-driver.state");
  }

  /// Exists no longer than the kernel that it describes.
  Path stuckDriverFile() {
    return root.place("/run/nvidia/pitcrew-driver-wedged");
  }
}
