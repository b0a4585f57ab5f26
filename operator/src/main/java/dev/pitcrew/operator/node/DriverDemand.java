package dev.pitcrew.operator.node;

/// Which driver is wanted on nodes.
///
/// @param by the resource that wants it, such as `NVIDIADriver training`
/// @param version as the resource has it, which may be a branch or a digest; empty where it has
///   none
/// @param needsOpenModules whether the open kernel modules are asked for
public record DriverDemand(String by, String version, boolean needsOpenModules) {
  /// No driver container is to run.
  public static final DriverDemand NONE = new DriverDemand("", "", false);

  boolean isNone() {
    return by.isEmpty();
  }
}
