package dev.pitcrew.operator.driver;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// All NVIDIADrivers of a cluster and the GPU nodes that they share between them. Each node is
/// compared once with each of them.
///
/// @param owners which of them serves which node
/// @param nodes the GPU nodes that are labelled as an NVIDIADriver's, by its name
/// @param due the names of nodes that are to be an NVIDIADriver's and are not labelled so yet, by
///   its name
/// @param overlaps the first node that an NVIDIADriver shares with another, by its name
public record DriverFleet(
    List<DriverResource> drivers,
    DriverOwners owners,
    Map<String, List<NodeFacts>> nodes,
    Map<String, SortedSet<String>> due,
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
    Map<String, List<NodeFacts>> nodes = new HashMap<>();
    Map<String, SortedSet<String>> due = new HashMap<>();
    Map<String, Overlap> overlaps = new TreeMap<>();
    for (NodeFacts node : gpuNodes) {
      Optional<String> present = node.label(NodeLabels.DRIVER_OWNER);
      present.ifPresent(name -> nodes.computeIfAbsent(name, _ -> new ArrayList<>()).add(node));
      NavigableSet<String> selecting = owners.selecting(node.labels());
      owners
          .ownerOf(node.labels(), selecting)
          .filter(owner -> !present.equals(Optional.of(owner)))
          .ifPresent(owner -> due.computeIfAbsent(owner, _ -> new TreeSet<>()).add(node.name()));
      if (selecting.size() > 1) {
        var overlap = new Overlap(node.name(), selecting);
        selecting.forEach(
            name -> overlaps.merge(name, overlap, (one, other) -> firstByNode(one, other)));
      }
    }
    return new DriverFleet(drivers, owners, nodes, due, overlaps);
  }

  /// The nodes of each of them that upgrades automatically; empty while one of them cannot be read,
  /// as its content is unknown then.
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

  /// What is wrong with the nodes that this one asks for. Only those in a conflict report it.
  Optional<Problem> problem(DriverResource driver) {
    return driver.selectorProblem().or(() -> severalDefaults(driver)).or(() -> overlap(driver));
  }

  /// The GPU nodes that are labelled as this one's.
  List<NodeFacts> nodes(DriverResource driver) {
    return nodes.getOrDefault(driver.name(), List.of());
  }

  /// Nodes that are to be this one's and are not labelled so yet, by name.
  SortedSet<String> due(DriverResource driver) {
    return due.getOrDefault(driver.name(), Collections.emptySortedSet());
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

  /// A message must not change with the order in which nodes are listed.
  private static Overlap firstByNode(Overlap one, Overlap other) {
    return one.node().compareTo(other.node()) <= 0 ? one : other;
  }
}
