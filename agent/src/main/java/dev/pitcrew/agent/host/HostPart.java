package dev.pitcrew.agent.host;

import java.util.Locale;

/// What has to be set up on a host before its GPUs can be used in containers.
public enum HostPart {
  /// The container runtime's handlers.
  RUNTIME,
  /// The programs that bring GPUs into a container.
  TOOLKIT,
  /// Kernel modules and libraries.
  DRIVER;

  /// A label of the Node with which its administrator says whose it is: `pitcrew` or `host`.
  public String label() {
    return "pitcrew.dev/owner." + name().toLowerCase(Locale.ROOT);
  }
}
