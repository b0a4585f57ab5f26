package dev.pitcrew.operator.node;

import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/// Which NVIDIADriver serves a node. One that selects a node comes before a default. Where two
/// select it, or two are the default, the node stays with its current owner, as an error must not
/// take a driver away from under a workload.
///
/// @param claims of all NVIDIADrivers that are not being deleted and whose selector is valid
/// @param invalid names of those whose selector is not; they keep the nodes that they have
public record DriverOwners(List<DriverClaim> claims, Set<String> invalid) {
  /// Of a cluster without NVIDIADrivers, or that is to have none.
  public static final DriverOwners NONE = new DriverOwners(List.of(), Set.of());

  /// The owner of a node with these labels, if it has one.
  public Optional<String> ownerOf(Map<String, String> labels) {
    return ownerOf(labels, selecting(labels));
  }

  /// The same where it is known which NVIDIADrivers select the node.
  public Optional<String> ownerOf(Map<String, String> labels, NavigableSet<String> selecting) {
    Optional<String> present = Optional.ofNullable(labels.get(NodeLabels.DRIVER_OWNER));
    if (present.filter(invalid::contains).isPresent()) {
      return present;
    }
    NavigableSet<String> claimants = selecting.isEmpty() ? defaults() : selecting;
    return switch (claimants.size()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(claimants.first());
      default -> presentOwnerOf(labels);
    };
  }

  /// The owner that a node with these labels has, as long as that is there: what one has brought
  /// runs on also where drivers are not left to NVIDIADrivers any more, or two fight for the node.
  Optional<String> presentOwnerOf(Map<String, String> labels) {
    return Optional.ofNullable(labels.get(NodeLabels.DRIVER_OWNER))
        .filter(name -> invalid.contains(name) || claim(name).isPresent());
  }

  /// The NVIDIADrivers with a selector that fits these labels, by name.
  public NavigableSet<String> selecting(Map<String, String> labels) {
    return names(claim -> claim.selects(labels));
  }

  /// The NVIDIADrivers that are the default, by name.
  public NavigableSet<String> defaults() {
    return names(DriverClaim::isDefault);
  }

  /// The driver that is wanted on nodes of an owner; empty if it is unknown.
  Optional<DriverDemand> demand(String owner) {
    return claim(owner).map(DriverClaim::demand);
  }

  /// Whether nodes of an owner are upgraded automatically; empty if it is unknown.
  Optional<Boolean> upgradesAutomatically(String owner) {
    return claim(owner).map(DriverClaim::autoUpgrade);
  }

  private Optional<DriverClaim> claim(String name) {
    return claims.stream().filter(claim -> claim.name().equals(name)).findFirst();
  }

  private NavigableSet<String> names(Predicate<DriverClaim> wanted) {
    NavigableSet<String> names = new TreeSet<>();
    for (DriverClaim claim : claims) {
      if (wanted.test(claim)) {
        names.add(claim.name());
      }
    }
    return names;
  }
}
