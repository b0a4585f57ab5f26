package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.ComputeCapability;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/// A whole GPU or a MIG device as it can be given to a container.
///
/// @param gpuUuid the GPU that it is or that it is a part of
/// @param place where it stands among the devices of the node
/// @param numaNode empty where the kernel knows none
/// @param paths the device files that open it, as the kernel names them
/// @param memoryBytes 0 where NVML does not report it
public record PhysicalDevice(
    String uuid,
    String gpuUuid,
    Place place,
    OptionalInt numaNode,
    List<String> paths,
    long memoryBytes,
    ComputeCapability computeCapability) {

  public PhysicalDevice {
    paths = List.copyOf(paths);
  }

  public boolean isMig() {
    return place.migIndex().isPresent();
  }

  /// How the driver's tools count it: `3` or `3:1`.
  public String index() {
    return place.toString();
  }

  /// @param gpuIndex the NVML index of the GPU
  /// @param migIndex the index among the MIG handles of the GPU; empty for a whole GPU
  public record Place(int gpuIndex, OptionalInt migIndex) implements Comparable<Place> {
    private static final int BEFORE_ANY_PART = -1;
    private static final Comparator<Place> ORDER =
        Comparator.comparingInt(Place::gpuIndex)
            .thenComparingInt(place -> place.migIndex().orElse(BEFORE_ANY_PART));

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
      return migIndex.isPresent() ? gpuIndex + ":" + migIndex.getAsInt() : "" + gpuIndex;
    }
  }
}
