package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.pitcrew.device.mig.PciIds;
import dev.pitcrew.device.mig.Placement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// How NVML divides a GPU, and what it reports about that beyond its MIG devices.
public final class PartitionCalls {
  /// More processes than this use no GPU.
  private static final int MOST_PROCESSES = 1024;

  private static final int MOST_PLACEMENTS = 64;

  private static final String START = "start";
  private static final String SIZE = "size";
  private static final String PLACEMENT = "placement";

  private final NvmlFunction setMode;
  private final NvmlFunction placements;
  private final NvmlFunction gpuProfile;
  private final NvmlFunction gpuInstances;
  private final NvmlFunction gpuInstanceInfo;
  private final NvmlFunction createGpuInstance;
  private final NvmlFunction destroyGpuInstance;
  private final NvmlFunction computeInstances;
  private final NvmlFunction computeInstanceInfo;
  private final NvmlFunction createComputeInstance;
  private final NvmlFunction destroyComputeInstance;
  private final NvmlFunction computing;
  private final NvmlFunction drawing;
  private final NvmlFunction mpsClients;
  private final NvmlFunction pciInfo;

  /// A GPU instance as NVML shows it.
  public record GpuInstanceInfo(
      InstanceHandle handle, int id, int profileId, Placement placement) {}

  /// A compute instance as NVML shows it.
  public record ComputeInstanceInfo(InstanceHandle handle, int id, int profileId) {}

  /// A process that uses a GPU.
  ///
  /// @param gpuInstance [#NO_INSTANCE] where it uses the whole GPU
  public record GpuProcess(int processId, int gpuInstance, int computeInstance) {
    /// What stands for no instance.
    public static final int NO_INSTANCE = -1;
  }

  PartitionCalls(NvmlFunction.Table functions) {
    setMode = functions.indexed("nvmlDeviceSetMigMode");
    placements =
        functions.of(
            List.of(
                "nvmlDeviceGetGpuInstancePossiblePlacements_v2",
                "nvmlDeviceGetGpuInstancePossiblePlacements"),
            ADDRESS,
            JAVA_INT,
            ADDRESS,
            ADDRESS);
    gpuProfile = functions.indexed("nvmlDeviceGetGpuInstanceProfileInfo");
    gpuInstances = lister(functions, "nvmlDeviceGetGpuInstances");
    gpuInstanceInfo = functions.reader("nvmlGpuInstanceGetInfo");
    createGpuInstance = lister(functions, "nvmlDeviceCreateGpuInstanceWithPlacement");
    destroyGpuInstance = functions.of(List.of("nvmlGpuInstanceDestroy"), ADDRESS);
    computeInstances = lister(functions, "nvmlGpuInstanceGetComputeInstances");
    computeInstanceInfo =
        functions.reader("nvmlComputeInstanceGetInfo_v2", "nvmlComputeInstanceGetInfo");
    createComputeInstance = functions.indexed("nvmlGpuInstanceCreateComputeInstance");
    destroyComputeInstance = functions.of(List.of("nvmlComputeInstanceDestroy"), ADDRESS);
    computing =
        functions.pair(
            "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2");
    drawing =
        functions.pair(
            "nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2");
    mpsClients =
        functions.pair(
            "nvmlDeviceGetMPSComputeRunningProcesses_v3",
            "nvmlDeviceGetMPSComputeRunningProcesses_v2");
    pciInfo = functions.reader("nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2");
  }

  private static NvmlFunction lister(NvmlFunction.Table functions, String name) {
    return functions.of(List.of(name), ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
  }

  /// Asks for the MIG mode. That it was asked for does not say that it is in force.
  ///
  /// @return what NVML says of its coming into force; 0 is success
  public Answer<Integer> setMode(DeviceHandle gpu, boolean isEnabled) {
    try (var arena = Arena.ofConfined()) {
      var activation = arena.allocate(JAVA_INT);
      int code = setMode.call(gpu.pointer(), isEnabled ? 1 : 0, activation);
      return setMode.answer(code, () -> activation.get(JAVA_INT, 0));
    }
  }

  /// How many instances of a profile the GPU can have.
  ///
  /// @param constant as in [InstanceCalls#gpuInstanceProfile]
  public Answer<Integer> mostInstances(DeviceHandle gpu, int constant) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.GPU_INSTANCE_PROFILE_INFO);
      int code = gpuProfile.call(gpu.pointer(), constant, info);
      return gpuProfile.plausible(
          code,
          () ->
              Numbers.small(
                  Layouts.number(info, Layouts.GPU_INSTANCE_PROFILE_INFO, "instanceCount")));
    }
  }

  /// Where an instance of a profile could lie if the GPU were empty.
  ///
  /// The number is not asked for first: before R525 NVML takes no null for the array, and fills
  /// what it expects to be large enough.
  public Answer<List<Placement>> placements(DeviceHandle gpu, int profileId) {
    var layout = Layouts.GPU_INSTANCE_PLACEMENT;
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(JAVA_INT);
      count.set(JAVA_INT, 0, MOST_PLACEMENTS);
      var found = arena.allocate(layout, MOST_PLACEMENTS);
      int code = placements.call(gpu.pointer(), profileId, found, count);
      return placements.answer(
          code,
          () ->
              elements(found, layout, Math.clamp(count.get(JAVA_INT, 0), 0, MOST_PLACEMENTS))
                  .stream()
                  .map(PartitionCalls::placement)
                  .toList());
    }
  }

  /// @param most how many there can be
  public Answer<List<GpuInstanceInfo>> gpuInstances(DeviceHandle gpu, int profileId, int most) {
    return handles(gpuInstances, gpu.pointer(), profileId, most)
        .flatMap(found -> Answer.all(found.stream().map(this::gpuInstanceInfo).toList()));
  }

  private Answer<GpuInstanceInfo> gpuInstanceInfo(InstanceHandle instance) {
    var layout = Layouts.GPU_INSTANCE_INFO;
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(layout);
      int code = gpuInstanceInfo.call(instance.pointer(), info);
      return gpuInstanceInfo.answer(
          code,
          () ->
              new GpuInstanceInfo(
                  instance,
                  Layouts.number(info, layout, "id"),
                  Layouts.number(info, layout, "profileId"),
                  placement(Layouts.bytes(info, layout, PLACEMENT))));
    }
  }

  public Answer<InstanceHandle> createGpuInstance(
      DeviceHandle gpu, int profileId, Placement placement) {
    var layout = Layouts.GPU_INSTANCE_PLACEMENT;
    try (var arena = Arena.ofConfined()) {
      var wanted = arena.allocate(layout);
      wanted.set(JAVA_INT, layout.byteOffset(groupElement(START)), placement.start());
      wanted.set(JAVA_INT, layout.byteOffset(groupElement(SIZE)), placement.size());
      var handle = arena.allocate(ADDRESS);
      int code = createGpuInstance.call(gpu.pointer(), profileId, wanted, handle);
      return createGpuInstance.answer(code, () -> instance(handle));
    }
  }

  public Answer<Boolean> destroyGpuInstance(InstanceHandle instance) {
    return destroyGpuInstance.answer(destroyGpuInstance.call(instance.pointer()), () -> true);
  }

  public Answer<List<ComputeInstanceInfo>> computeInstances(
      InstanceHandle gpuInstance, int profileId, int most) {
    return handles(computeInstances, gpuInstance.pointer(), profileId, most)
        .flatMap(found -> Answer.all(found.stream().map(this::computeInstanceInfo).toList()));
  }

  private Answer<ComputeInstanceInfo> computeInstanceInfo(InstanceHandle instance) {
    var layout = Layouts.COMPUTE_INSTANCE_INFO;
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(layout);
      int code = computeInstanceInfo.call(instance.pointer(), info);
      return computeInstanceInfo.answer(
          code,
          () ->
              new ComputeInstanceInfo(
                  instance,
                  Layouts.number(info, layout, "id"),
                  Layouts.number(info, layout, "profileId")));
    }
  }

  public Answer<InstanceHandle> createComputeInstance(InstanceHandle gpuInstance, int profileId) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = createComputeInstance.call(gpuInstance.pointer(), profileId, handle);
      return createComputeInstance.answer(code, () -> instance(handle));
    }
  }

  public Answer<Boolean> destroyComputeInstance(InstanceHandle compute) {
    return destroyComputeInstance.answer(
        destroyComputeInstance.call(compute.pointer()), () -> true);
  }

  /// The processes that compute on the GPU and its instances, draw with it, or are clients of MPS
  /// there: NVML lists each sort by a call of its own, and older libraries lack some.
  public Answer<List<GpuProcess>> processes(DeviceHandle gpu) {
    return Answer.all(
            List.of(
                processes(computing, gpu).ifNotSupported(List.of()),
                processes(drawing, gpu).ifNotSupported(List.of()),
                processes(mpsClients, gpu).ifNotSupported(List.of())))
        .map(sorts -> sorts.stream().flatMap(List::stream).distinct().toList());
  }

  private static Answer<List<GpuProcess>> processes(NvmlFunction processes, DeviceHandle gpu) {
    var layout = Layouts.PROCESS_INFO;
    try (var arena = Arena.ofConfined()) {
      var count = arena.allocate(JAVA_INT);
      count.set(JAVA_INT, 0, MOST_PROCESSES);
      var found = arena.allocate(layout, MOST_PROCESSES);
      int code = processes.call(gpu.pointer(), count, found);
      return processes.answer(
          code,
          () ->
              elements(found, layout, Math.min(MOST_PROCESSES, count.get(JAVA_INT, 0))).stream()
                  .map(info ->
                      new GpuProcess(
                          Layouts.number(info, layout, "pid"),
                          Layouts.number(info, layout, "gpuInstanceId"),
                          Layouts.number(info, layout, "computeInstanceId")))
                  .toList());
    }
  }

  public Answer<PciIds> pciIds(DeviceHandle gpu) {
    var layout = Layouts.PCI_INFO;
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(layout);
      int code = pciInfo.call(gpu.pointer(), info);
      return pciInfo.answer(
          code,
          () ->
              new PciIds(
                  Layouts.number(info, layout, "pciDeviceId"),
                  Layouts.number(info, layout, "pciSubSystemId")));
    }
  }

  private static Answer<List<InstanceHandle>> handles(
      NvmlFunction function, MemorySegment owner, int profileId, int most) {
    try (var arena = Arena.ofConfined()) {
      var found = arena.allocate(ADDRESS, most);
      var count = arena.allocate(JAVA_INT);
      count.set(JAVA_INT, 0, most);
      int code = function.call(owner, profileId, found, count);
      return function.answer(
          code,
          () ->
              IntStream.range(0, Math.min(most, count.get(JAVA_INT, 0)))
                  .mapToObj(index -> new InstanceHandle(found.getAtIndex(ADDRESS, index).address()))
                  .toList());
    }
  }

  private static List<MemorySegment> elements(MemorySegment array, StructLayout layout, int count) {
    var elements = new ArrayList<MemorySegment>();
    for (int i = 0; i < count; i++) {
      elements.add(array.asSlice(i * layout.byteSize(), layout));
    }
    return elements;
  }

  private static Placement placement(MemorySegment placement) {
    var layout = Layouts.GPU_INSTANCE_PLACEMENT;
    return new Placement(
        Layouts.number(placement, layout, START), Layouts.number(placement, layout, SIZE));
  }

  private static InstanceHandle instance(MemorySegment handle) {
    return new InstanceHandle(handle.get(ADDRESS, 0).address());
  }
}
