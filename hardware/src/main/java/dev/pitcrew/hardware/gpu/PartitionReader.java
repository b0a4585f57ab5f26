package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.ComputeProfiles;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.KnownCounts;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import dev.pitcrew.hardware.nvml.InstanceCalls;
import dev.pitcrew.hardware.nvml.MigMode;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.PartitionCalls.GpuInstanceInfo;
import dev.pitcrew.hardware.nvml.PartitionCalls.GpuProcess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Reads how one GPU is divided, with all that dividing it needs. A GPU instance without a compute
/// instance is no MIG device, but it takes its place: it is read too.
final class PartitionReader {
  private static final ComputeCapability NO_CAPABILITY = new ComputeCapability(0, 0);
  private static final int MOST_COMPUTES = 8;

  private final NvmlLibrary nvml;
  private final DeviceHandle gpu;

  PartitionReader(NvmlLibrary nvml, DeviceHandle gpu) {
    this.nvml = nvml;
    this.gpu = gpu;
  }

  Answer<MigGpu> read(int index) {
    var devices = nvml.devices();
    var names =
        Answer.join(
            devices.uuid(gpu),
            devices.pciAddress(gpu),
            (uuid, address) -> new String[] {uuid, address});
    var board =
        Answer.join(
            nvml.partition().pciIds(gpu),
            devices.computeCapability(gpu).ifNotSupported(NO_CAPABILITY),
            (ids, capability) -> new MigGpu(index, "", "", ids, capability, NOT_CAPABLE));
    return Answer.join(
        Answer.join(names, board, (name, found) -> named(found, name)),
        division(),
        (gpu, division) -> gpu.with(KnownCounts.corrected(gpu.ids(), division)));
  }

  private static final MigPartitioning NOT_CAPABLE = new MigPartitioning.NotCapable();

  private static MigGpu named(MigGpu gpu, String[] names) {
    return new MigGpu(gpu.index(), names[0], names[1], gpu.ids(), gpu.capability(), gpu.division());
  }

  private Answer<MigPartitioning> division() {
    return switch (nvml.mig().mode(gpu)) {
      case Answer.Value(var mode) -> capable(mode);
      case Answer.NotSupported(_) -> Answer.of(NOT_CAPABLE);
      case Answer.Failed(var error, var call) -> Answer.failed(error, call);
    };
  }

  private Answer<MigPartitioning> capable(MigMode mode) {
    var processes = nvml.partition().processes(gpu);
    return Answer.join(
            nvml.devices().memoryBytes(gpu).flatMap(this::profiles), processes, Read::new)
        .flatMap(read ->
            instances(mode, read)
                .map(instances ->
                    new MigPartitioning.Capable(
                        mode.current(),
                        mode.pending(),
                        read.profiles(),
                        instances,
                        read.ofWholeGpu())));
  }

  private record Read(List<InstanceProfile> profiles, List<GpuProcess> processes) {
    List<Integer> ofWholeGpu() {
      return processes.stream()
          .filter(process -> process.gpuInstance() == GpuProcess.NO_INSTANCE)
          .map(GpuProcess::processId)
          .toList();
    }

    List<Integer> of(int instance, int compute) {
      return processes.stream()
          .filter(
              process -> process.gpuInstance() == instance && process.computeInstance() == compute)
          .map(GpuProcess::processId)
          .toList();
    }
  }

  private Answer<List<InstanceProfile>> profiles(long gpuBytes) {
    var profiles = new ArrayList<Answer<InstanceProfile>>();
    for (int constant = 0; constant < GpuInstanceProfile.CONSTANTS; constant++) {
      switch (nvml.instances().gpuInstanceProfile(gpu, constant)) {
        case Answer.Value(var found) ->
            ProfileShapes.whole(found, gpuBytes)
                .ifPresent(shape -> profiles.add(profile(found, shape)));
        case Answer.NotSupported(_) -> {}
        case Answer.Failed(var error, var call) -> {
          if (error != NvmlError.INVALID_ARGUMENT) {
            profiles.add(Answer.failed(error, call));
          }
        }
      }
    }
    return Answer.all(profiles);
  }

  private Answer<InstanceProfile> profile(GpuInstanceProfile found, MigProfile shape) {
    return Answer.join(
        nvml.partition().mostInstances(gpu, found.constant()),
        placements(found),
        (most, placements) ->
            new InstanceProfile(found.constant(), found.id(), shape, most, placements));
  }

  // Not every driver reports them while the GPU is not in MIG mode.
  private Answer<List<Placement>> placements(GpuInstanceProfile profile) {
    var found = nvml.partition().placements(gpu, profile.id());
    return isAbsent(found) ? Answer.of(List.of()) : found;
  }

  private Answer<List<GpuInstance>> instances(MigMode mode, Read read) {
    if (!mode.current()) {
      return Answer.of(List.of());
    }
    var all = new ArrayList<Answer<List<GpuInstance>>>();
    for (InstanceProfile profile : read.profiles()) {
      all.add(
          nvml.partition()
              .gpuInstances(gpu, profile.id(), Math.max(1, profile.most()))
              .flatMap(found ->
                  Answer.all(found.stream().map(info -> instance(info, profile, read)).toList())));
    }
    return Answer.all(all)
        .map(found ->
            found.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(one -> one.placement().start()))
                .toList());
  }

  private Answer<GpuInstance> instance(GpuInstanceInfo info, InstanceProfile profile, Read read) {
    return computes(info, read)
        .map(computes -> new GpuInstance(info.id(), profile, info.placement(), computes));
  }

  private Answer<List<ComputeInstance>> computes(GpuInstanceInfo info, Read read) {
    var all = new ArrayList<Answer<List<ComputeInstance>>>();
    for (int constant = 0; constant < InstanceCalls.COMPUTE_PROFILES; constant++) {
      var shape = new ComputeShape(constant, ComputeProfiles.slices().get(constant));
      var id = nvml.instances().computeProfileId(info.handle(), constant);
      if (!isAbsent(id)) {
        all.add(id.flatMap(profile -> computes(info, profile, shape, read)));
      }
    }
    return Answer.all(all)
        .map(found ->
            found.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(ComputeInstance::id))
                .toList());
  }

  private record ComputeShape(int constant, int slices) {}

  private Answer<List<ComputeInstance>> computes(
      GpuInstanceInfo owner, int profileId, ComputeShape shape, Read read) {
    return nvml.partition()
        .computeInstances(owner.handle(), profileId, MOST_COMPUTES)
        .map(found ->
            found.stream()
                .map(info ->
                    new ComputeInstance(
                        info.id(),
                        shape.constant(),
                        shape.slices(),
                        read.of(owner.id(), info.id())))
                .toList());
  }

  static boolean isAbsent(Answer<?> answer) {
    return answer instanceof Answer.NotSupported
        || answer.isFailedWith(NvmlError.INVALID_ARGUMENT)
        || answer.isFailedWith(NvmlError.NOT_FOUND);
  }
}
