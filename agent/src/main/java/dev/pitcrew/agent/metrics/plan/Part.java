package dev.pitcrew.agent.metrics.plan;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigProfile;
import java.util.Optional;

/// What has series: a GPU, or one GPU instance of it.
public record Part(Gpu gpu, Optional<Instance> instance) {

  /// @param migIndex where NVML finds a device of it
  /// @param profile such as `1g.10gb`
  public record Instance(int id, int migIndex, String profile) {}

  public static Part whole(Gpu gpu) {
    return new Part(gpu, Optional.empty());
  }

  public static Part of(Gpu gpu, MigDevice device) {
    MigProfile profile = device.profile();
    // The instance's own profile, also where the device is only a share of its compute slices.
    var whole =
        new MigProfile(
            profile.gpuSlices(),
            profile.gpuSlices(),
            profile.memoryGigabytes(),
            profile.attribute());
    return new Part(
        gpu, Optional.of(new Instance(device.place().gpuInstance(), device.index(), whole.name())));
  }

  public int instanceId() {
    return instance.map(Instance::id).orElse(-1);
  }
}
