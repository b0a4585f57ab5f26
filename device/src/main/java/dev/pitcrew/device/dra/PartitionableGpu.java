package dev.pitcrew.device.dra;

import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.dra.ClaimDevice.WholeGpu;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.PartitionProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A GPU whose MIG devices are made for the claims that are allocated them (KEP-4815, partitionable
/// devices). Each possible GPU instance is a device, and takes its share of the counters of the
/// GPU; the whole GPU takes all of them.
///
/// On Hopper and later boards the GPU and its partitions are offered together, since their MIG mode
/// changes without a reset. An Ampere board is offered as its mode is: whole, or in partitions.
///
/// GPU instances that no claim has made belong to another owner. What they take is missing in the
/// counters, the devices that overlap them are not offered, and those that are MIG devices are
/// offered as they are.
///
/// @param own the names of the partitions that claims have made, or are about to make
record PartitionableGpu(Gpu gpu, Set<String> own) {
  private static final int HOPPER = 9;

  /// Empty for a GPU that is offered as it is: without MIG, or with MIG mode off where a change of
  /// the mode takes a reset, or where the driver does not list what the GPU can be divided into.
  static Optional<PartitionableGpu> of(Gpu gpu, Set<String> own) {
    return Optional.of(new PartitionableGpu(gpu, Set.copyOf(own)))
        .filter(it -> gpu.mig().isEnabled() || it.changesModeAtOnce())
        .filter(it -> it.profiles().stream().anyMatch(profile -> !profile.placements().isEmpty()));
  }

  /// Hopper and later boards do (NVIDIA's MIG user guide, "Enable MIG Mode").
  private boolean changesModeAtOnce() {
    return gpu.board().computeCapability().major() >= HOPPER;
  }

  /// Whether claims could be given partitions of it if its driver listed where they can lie.
  static boolean lacksPlacements(Gpu gpu) {
    return gpu.mig().isCapable() && new PartitionableGpu(gpu, Set.of()).changesModeAtOnce();
  }

  private List<PartitionProfile> profiles() {
    return gpu.mig().partitionProfiles();
  }

  /// By name.
  ///
  /// @param problems takes a line for each GPU instance that cannot be claimed
  List<ClaimDevice> devices(List<String> problems) {
    List<MigPlacement> foreign = foreign();
    var devices = new ArrayList<ClaimDevice>();
    if (foreign.isEmpty() && changesModeAtOnce()) {
      devices.add(new WholeGpu(gpu));
    }
    for (PartitionProfile profile : profiles()) {
      profile.placements().stream()
          .filter(place -> foreign.stream().noneMatch(place::overlaps))
          .map(place -> new Partition(gpu, profile, place))
          .forEach(devices::add);
    }
    foreign.forEach(place ->
        problems.add(
            "GPU %d: the GPU instance at memory slice %d was not made for a claim; claims get the rest of the GPU until it is destroyed"
                .formatted(gpu.index(), place.start())));
    devices.addAll(foreignDevices(foreign, problems));
    devices.sort(Comparator.comparing(ClaimDevice::name));
    return devices;
  }

  private List<MigPart> foreignDevices(List<MigPlacement> foreign, List<String> problems) {
    var others =
        gpu.mig().migDevices().stream()
            .filter(device -> device.placement().filter(foreign::contains).isPresent())
            .toList();
    return ClaimDevices.parts(gpu, others, problems);
  }

  /// The GPU instances that no claim has made.
  private List<MigPlacement> foreign() {
    return gpu.mig() instanceof Mig.Enabled enabled
        ? enabled.instances().stream().filter(place -> !isOwn(place)).toList()
        : List.of();
  }

  private boolean isOwn(MigPlacement place) {
    return profile(place)
        .map(profile -> new Partition(gpu, profile, place).name())
        .filter(own::contains)
        .isPresent();
  }

  private Optional<PartitionProfile> profile(MigPlacement place) {
    return profiles().stream().filter(profile -> profile.id() == place.profileId()).findFirst();
  }

  private String counterSet() {
    return "gpu-%d-counter-set".formatted(gpu.minor());
  }

  /// What the GPU has to share: of each amount the most that a profile has, and its memory slices,
  /// without what instances of others take.
  CounterSet counters() {
    Map<MigAmount, Long> left = most();
    var slices = new ArrayList<>(allSlices());
    for (MigPlacement place : foreign()) {
      profile(place)
          .ifPresent(profile ->
              left.replaceAll(
                  (amount, value) -> Math.max(0, value - amount.of(profile.amounts()))));
      slices.removeAll(slices(place));
    }
    return counterSet(left, slices);
  }

  private Map<MigAmount, Long> most() {
    var most = new EnumMap<MigAmount, Long>(MigAmount.class);
    for (PartitionProfile profile : profiles()) {
      for (MigAmount amount : MigAmount.values()) {
        most.merge(amount, amount.of(profile.amounts()), Math::max);
      }
    }
    return most;
  }

  private List<Integer> allSlices() {
    return profiles().stream()
        .flatMap(profile -> profile.placements().stream())
        .flatMap(place -> slices(place).stream())
        .distinct()
        .toList();
  }

  private static List<Integer> slices(MigPlacement place) {
    return IntStream.range(place.start(), place.start() + place.slices()).boxed().toList();
  }

  private CounterSet counterSet(Map<MigAmount, Long> amounts, List<Integer> slices) {
    var counters = new TreeMap<String, Quantity>();
    amounts.forEach((amount, value) -> counters.put(amount.counter(), amount.quantity(value)));
    slices.forEach(slice -> counters.put("memory-slice-" + slice, Quantity.ofCount(1)));
    return new CounterSet(counterSet(), counters);
  }

  /// What a device takes of the counters; nothing where it is there already, and belongs to another
  /// owner.
  Optional<CounterSet> consumed(ClaimDevice device) {
    return switch (device) {
      case WholeGpu _ -> Optional.of(counterSet(most(), allSlices()));
      case Partition(_, var profile, var place) -> {
        var amounts = new EnumMap<MigAmount, Long>(MigAmount.class);
        for (MigAmount amount : MigAmount.values()) {
          amounts.put(amount, amount.of(profile.amounts()));
        }
        yield Optional.of(counterSet(amounts, slices(place)));
      }
      case MigPart _, ClaimDevice.Passthrough _ -> Optional.empty();
    };
  }

  /// The capacity of the whole GPU: the same amounts, so that a selector compares it with those of
  /// its partitions.
  SortedMap<String, Quantity> wholeCapacity() {
    var capacity = new TreeMap<String, Quantity>();
    most().forEach((amount, value) -> capacity.put(amount.capacity(), amount.quantity(value)));
    return capacity;
  }
}
