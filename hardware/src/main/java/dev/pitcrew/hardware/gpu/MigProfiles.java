package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The profiles of GPUs, each read once: they change only with the memory of a GPU (ECC), and with
/// the mode where a driver shows none while MIG is off.
final class MigProfiles {
  private final Map<Key, Known> known = new ConcurrentHashMap<>();

  record Key(String uuid, boolean isEnabled, long memoryBytes) {}

  /// @param byConstant as NVML reports them
  /// @param supported what they are called
  record Known(List<GpuInstanceProfile> byConstant, Set<MigProfile> supported) {
    Known {
      byConstant = List.copyOf(byConstant);
      supported = Set.copyOf(supported);
    }
  }

  Answer<Known> of(Key key, Supplier<Answer<List<GpuInstanceProfile>>> reading) {
    Known before = known.get(key);
    return before == null ? reading.get().map(profiles -> keep(key, profiles)) : Answer.of(before);
  }

  private Known keep(Key key, List<GpuInstanceProfile> profiles) {
    var read = new Known(profiles, ProfileShapes.supported(profiles, key.memoryBytes()));
    known.put(key, read);
    return read;
  }
}
