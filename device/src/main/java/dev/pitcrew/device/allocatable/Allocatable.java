package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Everything that can be allocated on a node.
///
/// @param resources ordered by name; none of them is empty
/// @param problems what of the node is not offered, or not as it was configured
public record Allocatable(List<Resource> resources, List<Problem> problems) {
  public static final Allocatable NOTHING = new Allocatable(List.of(), List.of());

  public Allocatable {
    resources = List.copyOf(resources);
    problems = List.copyOf(problems);
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
        problems);
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
        problems);
  }

  public Optional<Resource> resource(String name) {
    return resources.stream().filter(resource -> resource.name().equals(name)).findFirst();
  }
}
