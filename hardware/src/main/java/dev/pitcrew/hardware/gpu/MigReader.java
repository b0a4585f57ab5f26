package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PartitionProfile;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import dev.pitcrew.hardware.nvml.InstanceCalls;
import dev.pitcrew.hardware.nvml.InstanceHandle;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.PartitionCalls.GpuInstanceInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/// Reads how one GPU is divided.
final class MigReader {
  private static final String NO_PROFILE = "profile of a MIG device";

  /// More GPU instances than a GPU can have: 7 on those of 2026.
  private static final int MOST_INSTANCES = 16;

  private static final Comparator<MigPlacement> BY_PLACE =
      Comparator.comparingInt(MigPlacement::start).thenComparingInt(MigPlacement::profileId);

  private final NvmlLibrary nvml;
  private final Target gpu;
  private final Supplier<MigMinors> minors;
  private final MigProfiles profiles;

  /// The GPU that is read.
  ///
  /// @param memoryBytes its whole memory
  record Target(DeviceHandle handle, String uuid, int minor, long memoryBytes) {}

  /// The identity of a MIG device and what it has.
  private record Found(
      DeviceHandle handle, String uuid, MigPlace place, MigAttributes attributes) {}

  /// @param minors read where there are MIG devices
  /// @param profiles as they were read before
  MigReader(NvmlLibrary nvml, Target gpu, Supplier<MigMinors> minors, MigProfiles profiles) {
    this.nvml = nvml;
    this.gpu = gpu;
    this.minors = minors;
    this.profiles = profiles;
  }

  Answer<Mig> read() {
    return switch (nvml.mig().mode(gpu.handle())) {
      case Answer.Value(var mode) ->
          profiles
              .of(
                  new MigProfiles.Key(gpu.uuid(), mode.current(), gpu.memoryBytes()),
                  this::profiles)
              .flatMap(found -> divided(mode.current(), found));
      case Answer.NotSupported(_) -> Answer.of(new Mig.NotCapable());
      case Answer.Failed(var error, var call) -> Answer.failed(error, call);
    };
  }

  private Answer<Mig> divided(boolean isEnabled, MigProfiles.Known found) {
    return isEnabled
        ? devices(found.byConstant())
            .map(devices ->
                new Mig.Enabled(
                    found.supported(), devices, found.partitions(), instances(found, devices)))
        : Answer.of(new Mig.Disabled(found.supported(), found.partitions()));
  }

  private Answer<MigProfiles.Known> profiles() {
    var answers =
        IntStream.range(0, GpuInstanceProfile.CONSTANTS)
            .mapToObj(constant -> nvml.instances().gpuInstanceProfile(gpu.handle(), constant))
            .filter(answer -> !isAbsent(answer))
            .toList();
    return Answer.all(answers).map(this::known);
  }

  /// Places that cannot be read leave the GPU readable: only claims need them.
  private MigProfiles.Known known(List<GpuInstanceProfile> profiles) {
    var partitions = new ArrayList<PartitionProfile>();
    boolean isComplete = true;
    for (GpuInstanceProfile profile : profiles) {
      var places = nvml.partition().placements(gpu.handle(), profile.id());
      isComplete &= places instanceof Answer.Value || isAbsent(places);
      ProfileShapes.whole(profile, gpu.memoryBytes())
          .ifPresent(shape ->
              partitions.add(
                  new PartitionProfile(
                      profile.id(),
                      shape,
                      profile.amounts(),
                      places.toOptional().orElse(List.of()).stream()
                          .flatMap(place ->
                              MigPlacement.of(profile.id(), place.start(), place.size()).stream())
                          .toList())));
    }
    return new MigProfiles.Known(
        profiles, ProfileShapes.supported(profiles, gpu.memoryBytes()), partitions, isComplete);
  }

  /// An instance without a compute instance is no MIG device, and takes its place.
  private List<MigPlacement> instances(MigProfiles.Known found, List<MigDevice> devices) {
    var placements = new TreeSet<>(BY_PLACE);
    devices.forEach(device -> device.placement().ifPresent(placements::add));
    for (GpuInstanceProfile profile : found.byConstant()) {
      nvml.partition()
          .gpuInstances(gpu.handle(), profile.id(), MOST_INSTANCES)
          .toOptional()
          .orElse(List.of())
          .forEach(instance -> placement(instance).ifPresent(placements::add));
    }
    return List.copyOf(placements);
  }

  private static Optional<MigPlacement> placement(GpuInstanceInfo instance) {
    return MigPlacement.of(
        instance.profileId(), instance.placement().start(), instance.placement().size());
  }

  private Answer<List<MigDevice>> devices(List<GpuInstanceProfile> profiles) {
    return nvml.mig()
        .maxDeviceCount(gpu.handle())
        .flatMap(count -> {
          var devices = new ArrayList<Answer<MigDevice>>();
          MigMinors files = minors.get();
          for (int index = 0; index < count; index++) {
            var device = device(index, profiles, files);
            if (!isAbsent(device)) {
              devices.add(device);
            }
          }
          return Answer.all(devices);
        });
  }

  private Answer<MigDevice> device(int index, List<GpuInstanceProfile> profiles, MigMinors files) {
    return nvml.mig()
        .deviceAt(gpu.handle(), index)
        .flatMap(this::identify)
        .flatMap(found ->
            Answer.join(
                shape(found, profiles),
                nvml.devices().memoryBytes(found.handle()).ifNotSupported(0L),
                (shape, bytes) -> device(index, found, shape, bytes, files)));
  }

  private MigDevice device(int index, Found found, Shape shape, long memoryBytes, MigMinors files) {
    return new MigDevice(
        index,
        found.uuid(),
        found.place(),
        shape.profile(),
        found.attributes(),
        memoryBytes,
        files.of(gpu.minor(), found.place()),
        shape.placement());
  }

  private record Shape(MigProfile profile, Optional<MigPlacement> placement) {}

  private Answer<Found> identify(DeviceHandle handle) {
    var place =
        Answer.join(
            nvml.mig().gpuInstanceId(handle), nvml.mig().computeInstanceId(handle), MigPlace::new);
    var identity = Answer.join(nvml.devices().uuid(handle), place, Identity::new);
    return Answer.join(
        identity,
        nvml.mig().attributes(handle),
        (known, attributes) -> new Found(handle, known.uuid(), known.place(), attributes));
  }

  private record Identity(String uuid, MigPlace place) {}

  private Answer<Shape> shape(Found found, List<GpuInstanceProfile> profiles) {
    var instances = nvml.instances();
    return instances
        .gpuInstance(gpu.handle(), found.place().gpuInstance())
        .flatMap(instance ->
            Answer.join(
                instances.gpuInstanceInfo(instance),
                computeConstant(instance, found.place().computeInstance()),
                Constants::new))
        .flatMap(constants ->
            required(
                constant(profiles, constants.instance().profileId())
                    .flatMap(gpuConstant ->
                        shape(gpuConstant, constants, found.attributes().memoryMiB()))));
  }

  private record Constants(InstanceCalls.Located instance, int compute) {}

  private Optional<Shape> shape(int gpuConstant, Constants constants, long memoryMiB) {
    return ProfileShapes.shape(gpuConstant, constants.compute(), memoryMiB, gpu.memoryBytes())
        .map(profile -> new Shape(profile, constants.instance().placement()));
  }

  private static Optional<Integer> constant(List<GpuInstanceProfile> profiles, int id) {
    return profiles.stream()
        .filter(profile -> profile.id() == id)
        .map(GpuInstanceProfile::constant)
        .findFirst();
  }

  private Answer<Integer> computeConstant(InstanceHandle gpuInstance, int computeInstance) {
    var instances = nvml.instances();
    return instances
        .computeInstance(gpuInstance, computeInstance)
        .flatMap(instances::computeInstanceProfileId)
        .flatMap(id -> required(computeConstantOf(gpuInstance, id)));
  }

  private Optional<Integer> computeConstantOf(InstanceHandle gpuInstance, int id) {
    return IntStream.range(0, InstanceCalls.COMPUTE_PROFILES)
        .filter(constant ->
            nvml.instances()
                .computeProfileId(gpuInstance, constant)
                .toOptional()
                .filter(found -> found == id)
                .isPresent())
        .boxed()
        .findFirst();
  }

  // What is free, what this GPU does not have, and what was destroyed while it was read.
  private static boolean isAbsent(Answer<?> answer) {
    return answer instanceof Answer.NotSupported
        || answer.isFailedWith(NvmlError.NOT_FOUND)
        || answer.isFailedWith(NvmlError.INVALID_ARGUMENT);
  }

  private static <T> Answer<T> required(Optional<T> found) {
    return found
        .<Answer<T>>map(Answer.Value::new)
        .orElseGet(() -> Answer.failed(NvmlError.IMPLAUSIBLE, NO_PROFILE));
  }
}
