package dev.pitcrew.operator.driver;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// All NVIDIADrivers of a cluster and the GPU nodes that they share between them.
///
/// @param owners which of them serves which node
/// @param overlaps the first node that an NVIDIADriver shares with another, by its name
public record DriverFleet(
    List<DriverResource> drivers,
    List<NodeFacts> gpuNodes,
    DriverOwners owners,
    Map<String, Overlap> overlaps) {

  /// A node that several select.
  public record Overlap(String node, SortedSet<String> drivers) {}

  /// @param unreadable names of those that cannot be read; they keep the nodes that they have
  public static DriverFleet of(
      List<DriverResource> drivers, Set<String> unreadable, List<NodeFacts> gpuNodes) {
    Set<String> invalid = new HashSet<>(unreadable);
    drivers.stream()
        .filter(driver -> driver.selectorProblem().isPresent())
        .map(DriverResource::name)
        .forEach(invalid::add);
    var owners =
        new DriverOwners(
            drivers.stream()
                .filter(driver -> !invalid.contains(driver.name()))
                .map(DriverResource::claim)
                .toList(),
            Set.copyOf(invalid));
    return new DriverFleet(drivers, gpuNodes, owners, overlaps(owners, gpuNodes));
  }

  /// The nodes of each of them that upgrades automatically; empty while one of them cannot be read,
  /// as nobody knows what it says then.
  public Optional<List<UpgradeScope>> upgraded() {
    Set<String> read = drivers.stream().map(DriverResource::name).collect(Collectors.toSet());
    return read.containsAll(owners.invalid())
        ? Optional.of(
            drivers.stream()
                .filter(driver -> driver.spec().upgradePolicy().isAutoUpgrade())
                .map(driver -> new UpgradeScope(driver.name(), driver.spec().upgradePolicy()))
                .toList())
        : Optional.empty();
  }

  /// What is wrong with the nodes that this one asks for. Only those in a conflict are told of it.
  Optional<Problem> problem(DriverResource driver) {
    return driver.selectorProblem().or(() -> severalDefaults(driver)).or(() -> overlap(driver));
  }

  /// Nodes that are to be an NVIDIADriver's and are not labelled so yet, by name.
  SortedSet<String> due(DriverResource driver) {
    Optional<String> name = Optional.of(driver.name());
    return gpuNodes.stream()
        .filter(node -> owners.ownerOf(node.labels()).equals(name))
        .filter(node -> !node.label(NodeLabels.DRIVER_OWNER).equals(name))
        .map(NodeFacts::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Optional<Problem> severalDefaults(DriverResource driver) {
    SortedSet<String> defaults = owners.defaults();
    return defaults.size() > 1 && defaults.contains(driver.name())
        ? Optional.of(
            new Problem(
                DriverVerdict.FAILED,
                "multiple default NVIDIADrivers found: [%s]".formatted(String.join(" ", defaults))))
        : Optional.empty();
  }

  private Optional<Problem> overlap(DriverResource driver) {
    return Optional.ofNullable(overlaps.get(driver.name()))
        .map(overlap ->
            new Problem(
                DriverResource.CONFLICTING_SELECTOR,
                "multiple NVIDIADrivers match the same node %s: [%s]"
                    .formatted(overlap.node(), String.join(" ", overlap.drivers()))));
  }

  private static Map<String, Overlap> overlaps(DriverOwners owners, List<NodeFacts> gpuNodes) {
    Map<String, Overlap> overlaps = new TreeMap<>();
    for (NodeFacts node : gpuNodes) {
      SortedSet<String> selecting = owners.selecting(node.labels());
      if (selecting.size() > 1) {
        var overlap = new Overlap(node.name(), selecting);
        selecting.forEach(
            name -> overlaps.merge(name, overlap, (one, other) -> firstByNode(one, other)));
      }
    }
    return overlaps;
  }

  /// A message must not change with the order in which nodes are listed.
  private static Overlap firstByNode(Overlap one, Overlap other) {
    return one.node().compareTo(other.node()) <= 0 ? one : other;
  }
}
