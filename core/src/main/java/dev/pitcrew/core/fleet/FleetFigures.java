package dev.pitcrew.core.fleet;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The nodes of a fleet in numbers.
///
/// @param byReason those that are not ready, the most frequent reason first
/// @param allocatable GPUs that pods can have, whether or not one has them
/// @param shared GPUs that are divided, shared or allocated by claims
/// @param byHealth GPUs by their level, from best to worst; without those of which none is known
/// @param drivers nodes by the version of their driver, the most frequent first
public record FleetFigures(
    int nodes,
    int ready,
    SequencedMap<String, Integer> byReason,
    long gpus,
    long allocatable,
    long unhealthy,
    long shared,
    SequencedMap<String, Integer> byHealth,
    SequencedMap<String, Integer> drivers) {

  /// The larger number first, then by name.
  static final Comparator<Map.Entry<String, Integer>> MOST_FIRST =
      Map.Entry.<String, Integer>comparingByValue()
          .reversed()
          .thenComparing(Map.Entry.comparingByKey());

  /// The key of what [#most] has no place for.
  public static final String OTHER = "Other";

  public static FleetFigures of(Collection<NodeReport> nodes) {
    long gpus = nodes.stream().mapToLong(NodeReport::gpus).sum();
    return new FleetFigures(
        nodes.size(),
        (int) nodes.stream().filter(NodeReport::ready).count(),
        counted(
            nodes.stream()
                .filter(Predicate.not(NodeReport::ready))
                .map(NodeReport::reason)
                .toList(),
            MOST_FIRST),
        gpus,
        nodes.stream().mapToLong(NodeReport::allocatable).sum(),
        nodes.stream().mapToLong(NodeReport::unhealthy).sum(),
        gpus - nodes.stream().filter(NodeReport::whole).mapToLong(NodeReport::gpus).sum(),
        counted(
            nodes.stream().flatMap(node -> node.levels().stream()).toList(),
            Comparator.comparingInt(it -> HealthLevels.badness(it.getKey()))),
        counted(nodes.stream().map(NodeReport::driver).toList(), MOST_FIRST));
  }

  /// The first of a map that is sorted by its numbers, and the sum of all others as [#OTHER].
  public static SequencedMap<String, Integer> most(SequencedMap<String, Integer> all, int limit) {
    var most = new LinkedHashMap<String, Integer>();
    int place = 0;
    for (Map.Entry<String, Integer> entry : all.entrySet()) {
      most.merge(place++ < limit ? entry.getKey() : OTHER, entry.getValue(), Integer::sum);
    }
    return most;
  }

  private static SequencedMap<String, Integer> counted(
      List<String> words, Comparator<Map.Entry<String, Integer>> order) {
    return words.stream()
        .filter(Predicate.not(String::isEmpty))
        .collect(Collectors.groupingBy(Function.identity(), Collectors.summingInt(_ -> 1)))
        .entrySet()
        .stream()
        .sorted(order)
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, Integer::sum, LinkedHashMap::new));
  }
}
