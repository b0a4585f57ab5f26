package dev.pitcrew.agent.validation;

import java.util.List;
import java.util.stream.Collectors;

/// What keeps the driver from working, with the remedy.
///
/// @param message in plain words: what is so, by which device or file, and what to do
public record Blocker(Cause cause, String message) {

  /// What sort of thing. The order is that of precedence: what stands first may be why the others
  /// are so too.
  public enum Cause {
    GPU_BOUND_TO_VFIO("GpuBoundToVfio"),
    GPU_NOT_BOUND_TO_VFIO("GpuNotBoundToVfio"),
    NOUVEAU_LOADED("NouveauLoaded"),
    SECURE_BOOT_REFUSED_MODULE("SecureBootRefusedModule"),
    DRIVER_NOT_INSTALLED("DriverNotInstalled"),
    MODULE_NOT_LOADED("ModuleNotLoaded"),
    DRIVER_VERSION_MISMATCH("DriverVersionMismatch"),
    DEVICE_NODES_MISSING("DeviceNodesMissing"),
    FABRIC_MANAGER_NOT_RUNNING("FabricManagerNotRunning"),
    FABRIC_NOT_READY("FabricNotReady"),
    GPU_NOT_LISTED("GpuNotListed");

    private final String reason;

    Cause(String reason) {
      this.reason = reason;
    }

    /// As conditions and Events name it.
    public String reason() {
      return reason;
    }
  }

  public String reason() {
    return cause.reason();
  }

  /// The first in full, then the others.
  public static String message(List<Blocker> blockers) {
    return blockers.stream().map(Blocker::message).collect(Collectors.joining("; besides, "));
  }
}
