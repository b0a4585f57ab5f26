package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeProfiles;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What NVML's constants of instance profiles mean (device plugin specification, MIG profile
/// string).
final class ProfileShapes {
  // By the value of NVML_GPU_INSTANCE_PROFILE_*.
  private static final List<GpuShape> GPU_SHAPES =
      List.of(
          new GpuShape(1, ""),
          new GpuShape(2, ""),
          new GpuShape(3, ""),
          new GpuShape(4, ""),
          new GpuShape(7, ""),
          new GpuShape(8, ""),
          new GpuShape(6, ""),
          new GpuShape(1, "+me"),
          new GpuShape(2, "+me"),
          new GpuShape(1, ""),
          new GpuShape(1, "+gfx"),
          new GpuShape(2, "+gfx"),
          new GpuShape(4, "+gfx"),
          new GpuShape(1, "-me"),
          new GpuShape(2, "-me"),
          new GpuShape(1, "+me.all"),
          new GpuShape(2, "+me.all"),
          new GpuShape(3, "+gfx"));

  private static final List<Integer> COMPUTE_SLICES = ComputeProfiles.slices();

  private record GpuShape(int slices, String attribute) {}

  private ProfileShapes() {}

  /// The shape of a compute instance in a GPU instance; empty where NVML has newer constants than
  /// are known here.
  ///
  /// @param instanceMiB the memory of the GPU instance
  static Optional<MigProfile> shape(
      int gpuConstant, int computeConstant, long instanceMiB, long gpuBytes) {
    if (gpuConstant >= GPU_SHAPES.size() || computeConstant >= COMPUTE_SLICES.size()) {
      return Optional.empty();
    }
    var gpu = GPU_SHAPES.get(gpuConstant);
    return Optional.of(profile(gpu, COMPUTE_SLICES.get(computeConstant), instanceMiB, gpuBytes));
  }

  /// All shapes into which a GPU with these profiles can be divided.
  static Set<MigProfile> supported(List<GpuInstanceProfile> profiles, long gpuBytes) {
    return profiles.stream()
        .filter(profile -> profile.constant() < GPU_SHAPES.size())
        .flatMap(profile -> {
          var gpu = GPU_SHAPES.get(profile.constant());
          return COMPUTE_SLICES.stream()
              .filter(slices -> fits(slices, gpu.slices()))
              .map(slices -> profile(gpu, slices, profile.memoryMiB(), gpuBytes));
        })
        .collect(Collectors.toUnmodifiableSet());
  }

  /// The shape of a GPU instance whose compute instance takes all of it.
  static Optional<MigProfile> whole(GpuInstanceProfile found, long gpuBytes) {
    if (found.constant() >= GPU_SHAPES.size()) {
      return Optional.empty();
    }
    var gpu = GPU_SHAPES.get(found.constant());
    return Optional.of(profile(gpu, gpu.slices(), found.memoryMiB(), gpuBytes));
  }

  private static MigProfile profile(
      GpuShape gpu, int computeSlices, long instanceMiB, long gpuBytes) {
    int gigabytes = gpuBytes == 0 ? 0 : MigProfile.gigabytes(instanceMiB, gpuBytes);
    return new MigProfile(computeSlices, gpu.slices(), gigabytes, gpu.attribute());
  }

  // A part of an instance is at most half of it, rounded up.
  private static boolean fits(int computeSlices, int gpuSlices) {
    return computeSlices == gpuSlices
        || (computeSlices < gpuSlices && 2 * computeSlices <= gpuSlices + 1);
  }
}
