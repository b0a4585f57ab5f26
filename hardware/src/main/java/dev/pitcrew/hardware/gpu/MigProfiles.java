package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PartitionProfile;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The profiles of GPUs, each read once: they change only with the memory of a GPU (ECC), and with
/// the mode where a driver shows none, or no placements, while MIG is off.
final class MigProfiles {
  private final Map<Key, Known> known = new ConcurrentHashMap<>();

  record Key(String uuid, boolean isEnabled, long memoryBytes) {}

  /// @param byConstant as NVML reports them
  /// @param supported what they are called
  /// @param partitions with the places where instances can lie
  /// @param isComplete whether no call for a place failed for a reason that may pass
  record Known(
      List<GpuInstanceProfile> byConstant,
      Set<MigProfile> supported,
      List<PartitionProfile> partitions,
      boolean isComplete) {
    Known {
      byConstant = List.copyOf(byConstant);
      supported = Set.copyOf(supported);
      partitions = List.copyOf(partitions);
    }
  }

  Answer<Known> of(Key key, Supplier<Answer<Known>> reading) {
    Known before = known.get(key);
    return before == null ? reading.get().map(read -> keep(key, read)) : Answer.of(before);
  }

  private Known keep(Key key, Known read) {
    if (read.isComplete()) {
      known.put(key, read);
    }
    return read;
  }
}
