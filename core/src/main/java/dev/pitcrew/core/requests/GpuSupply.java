package dev.pitcrew.core.requests;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What the nodes that are there now have between them, in use or not.
///
/// @param offers by resource, also those of which kubelets remember the name only
/// @param silent GPU nodes that advertise nothing yet
/// @param machines the different sorts of nodes, by what they have
public record GpuSupply(
    SortedMap<String, Offer> offers, SortedSet<String> silent, Set<Map<String, Long>> machines) {

  /// Of one resource.
  ///
  /// @param node that has most of it
  /// @param capacity what that node has
  /// @param allocatable the most that any node offers, without devices that are unhealthy
  /// @param byMps whether all nodes that have it share it by MPS
  public record Offer(String node, long capacity, long allocatable, boolean byMps) {
    private static final Comparator<Offer> SIZE = Comparator.comparingLong(Offer::capacity);

    static Offer of(NodeOffer node, String resource) {
      long capacity = node.capacity().getOrDefault(resource, 0L);
      return new Offer(
          node.node(),
          capacity,
          node.allocatable().getOrDefault(resource, 0L),
          capacity == 0 || "mps".equals(node.strategies().get(resource)));
    }

    Offer and(Offer other) {
      Offer larger = SIZE.compare(other, this) > 0 ? other : this;
      return new Offer(
          larger.node(),
          larger.capacity(),
          Math.max(allocatable, other.allocatable()),
          byMps && other.byMps());
    }
  }

  public GpuSupply {
    offers = Collections.unmodifiableSortedMap(offers);
    silent = Collections.unmodifiableSortedSet(silent);
    machines = Set.copyOf(machines);
  }

  public static GpuSupply of(Collection<NodeOffer> nodes) {
    var offers = new TreeMap<String, Offer>();
    var silent = new TreeSet<String>();
    var machines = new HashSet<Map<String, Long>>();
    for (NodeOffer node : byName(nodes)) {
      node.capacity()
          .keySet()
          .forEach(resource -> offers.merge(resource, Offer.of(node, resource), Offer::and));
      if (node.isSilent()) {
        silent.add(node.node());
      }
      machines.add(node.capacity());
    }
    return new GpuSupply(offers, silent, machines);
  }

  /// Of messages that name a node the same one should be named each time.
  private static List<NodeOffer> byName(Collection<NodeOffer> nodes) {
    return nodes.stream().sorted(Comparator.comparing(NodeOffer::node)).toList();
  }

  /// The offer of a resource of which some node has at least one.
  public Optional<Offer> offer(String resource) {
    return Optional.ofNullable(offers.get(resource)).filter(offer -> offer.capacity() > 0);
  }

  /// Names of which some node has at least one.
  public SortedSet<String> advertised() {
    return offers.keySet().stream()
        .filter(resource -> offer(resource).isPresent())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Whether a kubelet remembers the name, though there is no device of it now.
  boolean remembers(String resource) {
    return offers.containsKey(resource) && offer(resource).isEmpty();
  }

  /// Whether one node has all that is asked for, in use or not.
  boolean hasTogether(GpuDemand demand) {
    return machines.stream()
        .anyMatch(machine ->
            demand.asks().entrySet().stream()
                .allMatch(ask -> machine.getOrDefault(ask.getKey(), 0L) >= ask.getValue().count()));
  }
}
