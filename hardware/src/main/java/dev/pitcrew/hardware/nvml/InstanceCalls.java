package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigPlacement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;
import java.util.Optional;

/// What NVML reports about GPU instances, compute instances and their profiles.
public final class InstanceCalls {
  /// How many constants of compute instance profiles there are; the first is 0.
  public static final int COMPUTE_PROFILES = 9;

  private static final int SHARED_ENGINES = 0;

  private final NvmlFunction gpuProfile;
  private final NvmlFunction gpuInstanceById;
  private final NvmlFunction gpuInstanceInfo;
  private final NvmlFunction computeInstanceById;
  private final NvmlFunction computeProfile;
  private final NvmlFunction computeInstanceInfo;

  /// A GPU instance as NVML reports it.
  ///
  /// @param profileId the driver's id of its profile
  /// @param start the first memory slice
  /// @param slices the number of memory slices
  public record Located(int profileId, int start, int slices) {
    /// Empty where the library reports what no GPU has.
    public Optional<MigPlacement> placement() {
      return MigPlacement.of(profileId, start, slices);
    }
  }

  InstanceCalls(NvmlFunction.Table functions) {
    gpuProfile = functions.indexed("nvmlDeviceGetGpuInstanceProfileInfo");
    gpuInstanceById = functions.indexed("nvmlDeviceGetGpuInstanceById");
    gpuInstanceInfo = functions.reader("nvmlGpuInstanceGetInfo");
    computeInstanceById = functions.indexed("nvmlGpuInstanceGetComputeInstanceById");
    computeProfile =
        functions.of(
            List.of("nvmlGpuInstanceGetComputeInstanceProfileInfo"),
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            ADDRESS);
    computeInstanceInfo =
        functions.reader("nvmlComputeInstanceGetInfo_v2", "nvmlComputeInstanceGetInfo");
  }

  /// The profile with one of NVML's constants, where the GPU has it.
  public Answer<GpuInstanceProfile> gpuInstanceProfile(DeviceHandle gpu, int constant) {
    try (var arena = Arena.ofConfined()) {
      var layout = Layouts.GPU_INSTANCE_PROFILE_INFO;
      var info = arena.allocate(layout);
      int code = gpuProfile.call(gpu.pointer(), constant, info);
      return gpuProfile.answer(
          code,
          () ->
              new GpuInstanceProfile(
                  constant, Layouts.number(info, layout, "id"), amounts(info, layout)));
    }
  }

  private static MigAttributes amounts(MemorySegment info, StructLayout layout) {
    int slices = Layouts.number(info, layout, "sliceCount");
    return new MigAttributes(
        Layouts.number(info, layout, "multiprocessorCount"),
        slices,
        slices,
        new MigAttributes.Engines(
            Layouts.number(info, layout, "copyEngineCount"),
            Layouts.number(info, layout, "decoderCount"),
            Layouts.number(info, layout, "encoderCount"),
            Layouts.number(info, layout, "jpegCount"),
            Layouts.number(info, layout, "ofaCount")),
        Layouts.size(info, layout, "memorySizeMB"));
  }

  public Answer<InstanceHandle> gpuInstance(DeviceHandle gpu, int id) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = gpuInstanceById.call(gpu.pointer(), id, handle);
      return gpuInstanceById.answer(
          code, () -> new InstanceHandle(handle.get(ADDRESS, 0).address()));
    }
  }

  /// What a GPU instance is and where it lies.
  public Answer<Located> gpuInstanceInfo(InstanceHandle gpuInstance) {
    try (var arena = Arena.ofConfined()) {
      var layout = Layouts.GPU_INSTANCE_INFO;
      var info = arena.allocate(layout);
      int code = gpuInstanceInfo.call(gpuInstance.pointer(), info);
      return gpuInstanceInfo.answer(code, () -> located(info));
    }
  }

  private static Located located(MemorySegment info) {
    var layout = Layouts.GPU_INSTANCE_INFO;
    var slices = Layouts.bytes(info, layout, "placement");
    return new Located(
        Layouts.number(info, layout, "profileId"),
        Layouts.number(slices, Layouts.GPU_INSTANCE_PLACEMENT, "start"),
        Layouts.number(slices, Layouts.GPU_INSTANCE_PLACEMENT, "size"));
  }

  public Answer<InstanceHandle> computeInstance(InstanceHandle gpuInstance, int id) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = computeInstanceById.call(gpuInstance.pointer(), id, handle);
      return computeInstanceById.answer(
          code, () -> new InstanceHandle(handle.get(ADDRESS, 0).address()));
    }
  }

  /// The driver's id of the profile that a compute instance has.
  public Answer<Integer> computeInstanceProfileId(InstanceHandle computeInstance) {
    return profileId(computeInstanceInfo, computeInstance, Layouts.COMPUTE_INSTANCE_INFO);
  }

  /// The driver's id, within a GPU instance, of the profile with one of NVML's constants.
  public Answer<Integer> computeProfileId(InstanceHandle gpuInstance, int constant) {
    try (var arena = Arena.ofConfined()) {
      var layout = Layouts.COMPUTE_INSTANCE_PROFILE_INFO;
      var info = arena.allocate(layout);
      int code = computeProfile.call(gpuInstance.pointer(), constant, SHARED_ENGINES, info);
      return computeProfile.answer(code, () -> Layouts.number(info, layout, "id"));
    }
  }

  private static Answer<Integer> profileId(
      NvmlFunction function, InstanceHandle instance, StructLayout layout) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(layout);
      int code = function.call(instance.pointer(), info);
      return function.answer(code, () -> Layouts.number(info, layout, "profileId"));
    }
  }
}
