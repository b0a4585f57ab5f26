package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.ComputeProfiles;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.device.mig.Placement;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.InstanceHandle;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.PartitionCalls.GpuProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// Divides the GPUs of a node, one call after the other. A caller waits at most for the deadline of
/// the settings; a call that hangs may yet take effect.
public final class Partitions {
  private final NvmlLibrary nvml;
  private final IntFunction<Lane> lanes;
  private final Lane node;
  private final Set<Integer> silent;

  Partitions(NvmlLibrary nvml, IntFunction<Lane> lanes, Lane node) {
    this(nvml, lanes, node, Set.of());
  }

  private Partitions(NvmlLibrary nvml, IntFunction<Lane> lanes, Lane node, Set<Integer> silent) {
    this.nvml = nvml;
    this.lanes = lanes;
    this.node = node;
    this.silent = Set.copyOf(silent);
  }

  /// Without asking GPUs that are known not to answer: each question would hang a thread.
  ///
  /// @param gpus by NVML index
  public Partitions sparing(Set<Integer> gpus) {
    return new Partitions(nvml, lanes, node, gpus);
  }

  /// How the GPUs are divided, without those that only show pictures. One that is lost or does not
  /// answer does not block the others.
  public Answer<MigNode> read() {
    return count().map(count -> node(answers(count)));
  }

  /// As [#read()], or why a GPU cannot be read: for a caller that needs all or nothing.
  public Answer<List<MigGpu>> readAll() {
    return count()
        .flatMap(count -> Answer.all(answers(count)))
        .map(found -> found.stream().flatMap(Optional::stream).toList());
  }

  private Answer<Integer> count() {
    return node.ask("counting GPUs", () -> nvml.driver().deviceCount());
  }

  private List<Answer<Optional<MigGpu>>> answers(int count) {
    var jobs = new ArrayList<Supplier<Answer<Optional<MigGpu>>>>();
    for (int gpu = 0; gpu < count; gpu++) {
      int index = gpu;
      if (silent.contains(index)) {
        jobs.add(() -> Answer.failed(NvmlError.UNRESPONSIVE, reading(index)));
      } else {
        jobs.add(lanes.apply(index).begin(reading(index), () -> find(index))::await);
      }
    }
    return jobs.stream().map(Supplier::get).toList();
  }

  private static MigNode node(List<Answer<Optional<MigGpu>>> answers) {
    var gpus = new ArrayList<MigGpu>();
    var unreadable = new ArrayList<UnreadableGpu>();
    for (int index = 0; index < answers.size(); index++) {
      switch (answers.get(index)) {
        case Answer.Value<Optional<MigGpu>>(var gpu) -> gpu.ifPresent(gpus::add);
        case Answer<Optional<MigGpu>> none ->
            unreadable.add(new UnreadableGpu(index, none.reason()));
      }
    }
    return new MigNode(gpus, unreadable);
  }

  private Answer<Optional<MigGpu>> find(int index) {
    return nvml.driver()
        .deviceAt(index)
        .flatMap(gpu ->
            nvml.devices()
                .name(gpu)
                .flatMap(name ->
                    GpuReader.isDisplayOnly(name)
                        ? Answer.of(Optional.empty())
                        : new PartitionReader(nvml, gpu).read(index).map(Optional::of)));
  }

  /// One GPU alone.
  public Answer<MigGpu> read(int index) {
    return on(index, reading(index), gpu -> new PartitionReader(nvml, gpu).read(index));
  }

  /// The processes that use a GPU or a part of it; none where its driver does not report them.
  public Answer<List<Integer>> processes(int index) {
    return on(
        index,
        "reading the processes of GPU " + index,
        gpu ->
            nvml.partition()
                .processes(gpu)
                .map(found -> found.stream().map(GpuProcess::processId).distinct().toList()));
  }

  private static String reading(int index) {
    return "reading how GPU %d is divided".formatted(index);
  }

  /// Requests the MIG mode. [#read(int)] reports whether it is in force.
  public Answer<Boolean> setMode(int index, boolean isEnabled) {
    return on(
        index,
        "setting the MIG mode of GPU " + index,
        gpu -> nvml.partition().setMode(gpu, isEnabled).map(_ -> true));
  }

  public Answer<Boolean> createInstance(int index, InstanceProfile profile, Placement placement) {
    return on(
        index,
        "creating a GPU instance on GPU " + index,
        gpu -> nvml.partition().createGpuInstance(gpu, profile.id(), placement).map(_ -> true));
  }

  /// @param instance the driver's id of it
  public Answer<Boolean> destroyInstance(int index, int instance) {
    return on(
        index,
        "destroying a GPU instance on GPU " + index,
        gpu ->
            nvml.instances()
                .gpuInstance(gpu, instance)
                .flatMap(nvml.partition()::destroyGpuInstance));
  }

  /// @param slices how many of the GPU instance's it computes with
  public Answer<Boolean> createCompute(int index, int instance, int slices) {
    return on(
        index,
        "creating a compute instance on GPU " + index,
        gpu ->
            nvml.instances()
                .gpuInstance(gpu, instance)
                .flatMap(owner -> createCompute(owner, slices)));
  }

  private Answer<Boolean> createCompute(InstanceHandle owner, int slices) {
    var constant = ComputeProfiles.constant(slices);
    if (constant.isEmpty()) {
      return Answer.failed(
          NvmlError.INVALID_ARGUMENT, "compute profile of %d slices".formatted(slices));
    }
    return nvml.instances()
        .computeProfileId(owner, constant.getAsInt())
        .flatMap(profile -> nvml.partition().createComputeInstance(owner, profile))
        .map(_ -> true);
  }

  public Answer<Boolean> destroyCompute(int index, int instance, int compute) {
    return on(
        index,
        "destroying a compute instance on GPU " + index,
        gpu ->
            nvml.instances()
                .gpuInstance(gpu, instance)
                .flatMap(owner -> nvml.instances().computeInstance(owner, compute))
                .flatMap(nvml.partition()::destroyComputeInstance));
  }

  private <T> Answer<T> on(int index, String what, Function<DeviceHandle, Answer<T>> work) {
    Supplier<Answer<T>> call = () -> nvml.driver().deviceAt(index).flatMap(work);
    return lanes.apply(index).ask(what, call);
  }
}
