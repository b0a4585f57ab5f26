package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim.GivenGpu;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import dev.pitcrew.device.dra.PassthroughGpu;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PassthroughGpus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The GPUs that claims can give to virtual machines: those that the driver lists, and those that
/// it does not list since a claim has given them. One that is back stays known until the driver is
/// read again: it must not look like one that is gone meanwhile.
public final class PassthroughDevices {
  private static final String WITHOUT_IOMMU =
      "the feature gate PassthroughSupport is on, and the kernel of this node has no IOMMU group: claims cannot give GPUs to virtual machines. Turn on the IOMMU in the firmware and boot with intel_iommu=on or amd_iommu=on, or set FleetPolicy spec.dra.featureGates.PassthroughSupport to false";
  private static final String WITH_PARTITIONS =
      "the feature gates PassthroughSupport and DynamicMIG are on, and exclude each other: claims cannot give GPUs to virtual machines. Set one of them to false in FleetPolicy spec.dra.featureGates";

  /// Index and minor of a GPU that was not read.
  private static final int UNREAD = -1;

  private final HostRoot host;
  private Optional<PassthroughGpus> bus = Optional.empty();
  private final Map<String, Gpu> read = new HashMap<>();
  private volatile Found found = Found.NONE;

  /// @param devices by which claims can have, or have, GPUs
  /// @param away the GPUs that were given and that the driver does not list
  private record Found(List<Passthrough> devices, List<Gpu> away, Optional<String> problem) {
    static final Found NONE = new Found(List.of(), List.of(), Optional.empty());
  }

  /// What of it claims can be allocated.
  ///
  /// @param devices for the ResourceSlices: those of GPUs that no claim uses as a whole
  /// @param given the UUIDs of the GPUs that claims have given to virtual machines
  /// @param problem why there are none although there shall be
  public record Offer(List<Passthrough> devices, Set<String> given, Optional<String> problem) {
    public static final Offer NONE = new Offer(List.of(), Set.of(), Optional.empty());

    public Offer {
      devices = List.copyOf(devices);
      given = Set.copyOf(given);
    }

    /// Whether a claim has given the GPU at this address to a virtual machine.
    public boolean isGiven(String address) {
      return devices.stream()
          .filter(device -> device.function().address().equals(address))
          .anyMatch(device -> given.contains(device.gpu().uuid()));
    }
  }

  /// @param host whose PCI bus is read
  public PassthroughDevices(HostRoot host) {
    this.host = host;
  }

  /// @param claims of the checkpoint
  public void look(
      FeatureSwitches features, Optional<Inventory> inventory, Collection<PreparedClaim> claims) {
    Set<String> given = names(claims);
    if (!features.passthrough() && given.isEmpty() && found.away().isEmpty()) {
      found = Found.NONE;
      return;
    }
    PassthroughGpus now = bus.orElseGet(() -> PassthroughGpus.of(host));
    bus = Optional.of(now);
    Map<String, Gpu> listed =
        inventory.stream()
            .flatMap(it -> it.gpus().stream())
            .collect(
                Collectors.toMap(gpu -> gpu.pci().address(), Function.identity(), (a, _) -> a));
    read.putAll(listed);
    Optional<String> problem = problem(features, now);
    boolean offers = features.passthrough() && problem.isEmpty();
    Set<String> wereAway = addresses(found.away());
    var devices = new ArrayList<Passthrough>();
    var away = new ArrayList<Gpu>();
    for (PassthroughGpu function : now.all()) {
      String address = function.address();
      Gpu last = read.getOrDefault(address, unread(function));
      boolean isGiven = given.contains(function.name());
      boolean isAway = !listed.containsKey(address) && (isGiven || wereAway.contains(address));
      if (isAway) {
        away.add(last);
      }
      boolean isOffered =
          offers && (isAway || listed.containsKey(address)) && !last.mig().isEnabled();
      if (isGiven || isOffered) {
        devices.add(new Passthrough(function, last));
      }
    }
    found = new Found(List.copyOf(devices), List.copyOf(away), problem);
  }

  private static Optional<String> problem(FeatureSwitches features, PassthroughGpus bus) {
    if (!features.passthrough()) {
      return Optional.empty();
    }
    if (features.dynamicMig()) {
      return Optional.of(WITH_PARTITIONS);
    }
    return bus.hasIommu() ? Optional.empty() : Optional.of(WITHOUT_IOMMU);
  }

  private static Set<String> names(Collection<PreparedClaim> claims) {
    return claims.stream()
        .flatMap(claim -> claim.given().stream())
        .map(GivenGpu::device)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Set<String> addresses(List<Gpu> gpus) {
    return gpus.stream().map(gpu -> gpu.pci().address()).collect(Collectors.toUnmodifiableSet());
  }

  /// One that was given before this agent began.
  private static Gpu unread(PassthroughGpu function) {
    return new Gpu(
        UNREAD,
        UNREAD,
        function.uuid(),
        new Board("", 0, new ComputeCapability(0, 0)),
        new PciFunction(
            function.address(), OptionalInt.empty(), function.numaNode(), function.root()),
        new Mig.NotCapable(),
        new Fabric.NotAttached());
  }

  /// All, by name, for the claims that are prepared.
  public List<Passthrough> devices() {
    return found.devices();
  }

  /// The GPUs of the node with those that the driver does not list meanwhile.
  public Inventory with(Inventory inventory) {
    Set<String> listed = addresses(inventory.gpus());
    Stream<Gpu> away = found.away().stream().filter(gpu -> !listed.contains(gpu.pci().address()));
    return new Inventory(
        inventory.driver(),
        Stream.concat(inventory.gpus().stream(), away).toList(),
        inventory.unreadable(),
        inventory.topology());
  }

  /// Whether a virtual machine has a GPU that this agent has never read, so that its UUID is not
  /// known.
  public boolean hasUnread() {
    return found.away().stream().anyMatch(gpu -> gpu.index() == UNREAD);
  }

  /// @param claims as they are now
  public Offer offer(Collection<PreparedClaim> claims) {
    Found now = found;
    if (now.devices().isEmpty()) {
      return new Offer(List.of(), Set.of(), now.problem()); // each call of the kubelet asks for it
    }
    Set<String> given = names(claims);
    Set<String> whole =
        claims.stream()
            .filter(PreparedClaim::isCompleted)
            .flatMap(claim -> claim.ownGpus().stream())
            .collect(Collectors.toUnmodifiableSet());
    return new Offer(
        now.devices().stream().filter(device -> !whole.contains(device.gpu().uuid())).toList(),
        now.devices().stream()
            .filter(device -> given.contains(device.name()))
            .map(device -> device.gpu().uuid())
            .collect(Collectors.toUnmodifiableSet()),
        now.problem());
  }
}
