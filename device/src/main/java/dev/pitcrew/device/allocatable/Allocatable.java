package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Everything that can be allocated on a node as extended resources.
///
/// @param resources ordered by name; none of them is empty
/// @param problems what of the node is not offered, or not as it was configured
/// @param byClaims the GPUs, by UUID, that are left out because ResourceClaims allocate them
public record Allocatable(List<Resource> resources, List<Problem> problems, Set<String> byClaims) {
  public static final Allocatable NOTHING = new Allocatable(List.of(), List.of());

  public Allocatable {
    resources = List.copyOf(resources);
    problems = List.copyOf(problems);
    byClaims = Set.copyOf(byClaims);
  }

  public Allocatable(List<Resource> resources, List<Problem> problems) {
    this(resources, problems, Set.of());
  }

  /// The one derivation: the same arguments always give the same names, ids and order.
  public static Allocatable from(
      Inventory inventory, MigStrategy strategy, Sharing sharing, Health health) {
    List<Candidate> candidates = Candidate.of(inventory, strategy, health);
    Replication replication = Replication.of(Candidate.offered(candidates), sharing);
    return new Allocatable(
        replication.resources(),
        Stream.of(
                inventory.unreadable().stream()
                    .map(gpu -> Problem.warning("" + gpu.index(), gpu.reason())),
                Candidate.withheld(candidates).stream(),
                replication.problems().stream())
            .flatMap(problems -> problems)
            .toList());
  }

  /// @param unhealthy why whole resources must not be used, by their names
  public Allocatable with(Map<String, String> unhealthy) {
    return new Allocatable(
        resources.stream()
            .map(resource ->
                Optional.ofNullable(unhealthy.get(resource.name()))
                    .map(resource::unhealthyWith)
                    .orElse(resource))
            .toList(),
        problems,
        byClaims);
  }

  /// The same without some devices and all their replicas.
  ///
  /// @param uuids of the physical devices
  public Allocatable without(Set<String> uuids) {
    return new Allocatable(
        resources.stream()
            .map(resource -> resource.without(uuids))
            .filter(resource -> !resource.devices().isEmpty())
            .toList(),
        problems,
        byClaims);
  }

  /// The same without GPUs that claims allocate, and without their MIG devices.
  ///
  /// @param gpus their UUIDs
  public Allocatable withoutClaimed(Set<String> gpus) {
    if (gpus.isEmpty()) {
      return this;
    }
    Allocatable left =
        without(
            resources.stream()
                .flatMap(resource -> resource.devices().stream())
                .map(Device::physical)
                .filter(device -> gpus.contains(device.gpuUuid()))
                .map(PhysicalDevice::uuid)
                .collect(Collectors.toUnmodifiableSet()));
    return new Allocatable(left.resources, left.problems, gpus);
  }

  public Optional<Resource> resource(String name) {
    return resources.stream().filter(resource -> resource.name().equals(name)).findFirst();
  }
}
