package dev.pitcrew.device.inventory;

import java.util.Optional;

/// One MIG device: a compute instance of a GPU instance.
///
/// @param index its place among the MIG handles of its GPU (nvmlDeviceGetMigDeviceHandleByIndex)
/// @param uuid such as `MIG-0e01fbe1-47a9-57ca-a57e-d170aaca8243`
/// @param capabilities empty where the kernel shows no capability files for it
/// @param placement of its GPU instance; empty where it is unknown
public record MigDevice(
    int index,
    String uuid,
    MigPlace place,
    MigProfile profile,
    MigAttributes attributes,
    long memoryBytes,
    Optional<MigCapabilities> capabilities,
    Optional<MigPlacement> placement) {

  /// Somewhere on its GPU.
  public MigDevice(
      int index,
      String uuid,
      MigPlace place,
      MigProfile profile,
      MigAttributes attributes,
      long memoryBytes,
      Optional<MigCapabilities> capabilities) {
    this(index, uuid, place, profile, attributes, memoryBytes, capabilities, Optional.empty());
  }

  public MigDevice at(MigPlacement where) {
    return new MigDevice(
        index, uuid, place, profile, attributes, memoryBytes, capabilities, Optional.of(where));
  }
}
