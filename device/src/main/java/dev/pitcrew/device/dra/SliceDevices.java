package dev.pitcrew.device.dra;

import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// The devices of a node as the ResourceSlices of one DRA driver list them.
///
/// @param driver its name
/// @param gpus the devices of each GPU, in a stable order
/// @param arrangement how they are divided into slices
/// @param problems a line for each GPU instance and each attribute that is left out
public record SliceDevices(
    String driver, List<OfGpu> gpus, Arrangement arrangement, List<String> problems) {
  public SliceDevices {
    gpus = List.copyOf(gpus);
    problems = List.copyOf(problems);
  }

  /// The devices of one GPU.
  ///
  /// @param counters what they share; empty where each is there on its own
  /// @param devices the whole GPU, then its parts by their place or their name
  public record OfGpu(Optional<CounterSet> counters, List<SliceDevice> devices) {
    public OfGpu {
      devices = List.copyOf(devices);
    }
  }

  /// How devices are divided into slices. NVIDIA's DRA driver has the same three.
  public enum Arrangement {
    /// As many as fit, whichever GPU they are of.
    TOGETHER,
    /// A slice for each GPU: with MIG devices for claims, on a node that can have none.
    BY_GPU,
    /// The counters of all GPUs, then a slice for each GPU.
    COUNTERS_THEN_BY_GPU
  }

  /// Devices of the driver `gpu.nvidia.com`.
  public SliceDevices(List<OfGpu> gpus, Arrangement arrangement, List<String> problems) {
    this(ClaimDevice.DRIVER, gpus, arrangement, problems);
  }

  /// Devices of the driver `gpu.nvidia.com` without counters.
  public SliceDevices(List<SliceDevice> devices, List<String> problems) {
    this(List.of(new OfGpu(Optional.empty(), devices)), Arrangement.TOGETHER, problems);
  }

  public List<SliceDevice> devices() {
    return gpus.stream().flatMap(gpu -> gpu.devices().stream()).toList();
  }

  /// Whether devices share counters, which API servers before 1.36 drop by default.
  public boolean haveCounters() {
    return gpus.stream().anyMatch(gpu -> gpu.counters().isPresent());
  }

  /// Whether several claims can hold a device, which API servers before 1.36 drop by default.
  public boolean haveShares() {
    return devices().stream().anyMatch(device -> device.shared().isPresent());
  }

  /// The same with devices of one claim only.
  public SliceDevices withoutShares() {
    return each(gpu ->
        new OfGpu(gpu.counters(), gpu.devices().stream().map(SliceDevice::withoutShares).toList()));
  }

  /// @param taints by the name of the device; a device that is not named has none
  public SliceDevices withTaints(Map<String, List<DeviceTaint>> taints) {
    return each(gpu ->
        new OfGpu(
            gpu.counters(),
            gpu.devices().stream()
                .map(device -> device.withTaints(taints.getOrDefault(device.name(), List.of())))
                .toList()));
  }

  /// A device with taints, which API servers before 1.36 drop by default.
  public Optional<SliceDevice> tainted() {
    return devices().stream().filter(device -> !device.taints().isEmpty()).findFirst();
  }

  /// For a server that does not keep taints: without the devices that taints keep claims from, and
  /// without the taints of others.
  public SliceDevices withoutTaints() {
    return where(device ->
            device.taints().stream().allMatch(taint -> taint.effect() == DeviceTaint.Effect.NONE))
        .withTaints(Map.of());
  }

  /// The same with devices of these names only, and without GPUs that have none of them.
  public SliceDevices only(Set<String> names) {
    return where(device -> names.contains(device.name()));
  }

  private SliceDevices where(Predicate<SliceDevice> holds) {
    SliceDevices left =
        each(gpu -> new OfGpu(gpu.counters(), gpu.devices().stream().filter(holds).toList()));
    return new SliceDevices(
        driver,
        left.gpus().stream().filter(gpu -> !gpu.devices().isEmpty()).toList(),
        arrangement,
        problems);
  }

  private SliceDevices each(UnaryOperator<OfGpu> change) {
    return new SliceDevices(driver, gpus.stream().map(change).toList(), arrangement, problems);
  }

  /// Of one claim each.
  public static SliceDevices of(Inventory inventory) {
    return of(inventory, new ConsumableShares.Disabled());
  }

  /// GPUs and MIG devices as they are, by the minor of the GPU and then by the placement.
  public static SliceDevices of(Inventory inventory, ConsumableShares shares) {
    ClaimDevices claimable = ClaimDevices.of(inventory);
    var problems = new LinkedHashSet<>(claimable.problems());
    var devices = new ArrayList<SliceDevice>();
    for (ClaimDevice device : claimable.devices()) {
      var facts = new DeviceFacts(inventory.driver(), device, problems);
      devices.add(
          new SliceDevice(
              device.name(),
              facts.attributes(),
              facts.capacity(),
              shares.capacities(facts.memoryBytes()),
              List.of(),
              List.of()));
    }
    return new SliceDevices(devices, List.copyOf(problems));
  }

  /// The same with GPUs for virtual machines after the others.
  public SliceDevices and(DriverVersion version, List<ClaimDevice.Passthrough> passthrough) {
    var left = new LinkedHashSet<>(problems);
    List<SliceDevice> more =
        passthrough.stream()
            .map(device -> {
              var facts = new DeviceFacts(version, device, left);
              return new SliceDevice(
                  device.name(), facts.attributes(), facts.capacity(), List.of());
            })
            .toList();
    if (more.isEmpty()) {
      return this;
    }
    return new SliceDevices(
        driver,
        Stream.concat(gpus.stream(), Stream.of(new OfGpu(Optional.empty(), more))).toList(),
        arrangement,
        List.copyOf(left));
  }

  /// Of one claim each.
  public static SliceDevices partitioned(Inventory inventory, Set<String> own) {
    return partitioned(inventory, own, new ConsumableShares.Disabled());
  }

  /// With the MIG devices that are made for claims, by the PCI address of the GPU and then by name.
  /// Devices that take counters are of one claim each.
  ///
  /// @param own the names of the partitions that claims have made, or are about to make
  public static SliceDevices partitioned(
      Inventory inventory, Set<String> own, ConsumableShares shares) {
    ClaimDevices claimable = ClaimDevices.partitioned(inventory, own);
    var problems = new LinkedHashSet<>(claimable.problems());
    var gpus = new ArrayList<OfGpu>();
    for (Gpu gpu : inventory.gpus().stream().sorted(ClaimDevices.BY_ADDRESS).toList()) {
      Optional<PartitionableGpu> shared = PartitionableGpu.of(gpu, own);
      List<SliceDevice> devices =
          claimable.devices().stream()
              .filter(device -> device.gpu().equals(gpu))
              .map(device -> device(inventory, device, shared, shares, problems))
              .toList();
      gpus.add(new OfGpu(shared.map(PartitionableGpu::counters), devices));
    }
    boolean isCapable = inventory.gpus().stream().anyMatch(gpu -> gpu.mig().isCapable());
    return new SliceDevices(
        gpus,
        isCapable ? Arrangement.COUNTERS_THEN_BY_GPU : Arrangement.BY_GPU,
        List.copyOf(problems));
  }

  private static SliceDevice device(
      Inventory inventory,
      ClaimDevice device,
      Optional<PartitionableGpu> shared,
      ConsumableShares shares,
      Collection<String> problems) {
    var facts = new DeviceFacts(inventory.driver(), device, problems);
    SortedMap<String, Quantity> capacity =
        shared
            .filter(_ -> device instanceof ClaimDevice.WholeGpu)
            .map(PartitionableGpu::wholeCapacity)
            .orElseGet(facts::capacity);
    List<CounterSet> consumed = shared.flatMap(it -> it.consumed(device)).stream().toList();
    return new SliceDevice(
        device.name(),
        facts.attributes(),
        capacity,
        consumed.isEmpty() ? shares.capacities(facts.memoryBytes()) : Optional.empty(),
        consumed,
        List.of());
  }
}
