package dev.pitcrew.cli.plan;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// How much the GPUs of a node are used.
///
/// @param gpus how many GPUs and MIG devices
/// @param utilisationPercent the mean of those that are measured
/// @param watts the sum of whole GPUs
/// @param celsius of the GPU that is hottest
/// @param pods how many pods have them
/// @param problem why values are missing; empty where none are
public record NodeUseRow(
    String node,
    int gpus,
    Optional<Double> utilisationPercent,
    Optional<Double> memoryUsedMib,
    Optional<Double> memoryMib,
    Optional<Double> watts,
    Optional<Double> celsius,
    long pods,
    String problem) {

  /// The most used first.
  public static List<NodeUseRow> of(Collection<UseRow> rows) {
    return rows.stream()
        .collect(Collectors.groupingBy(UseRow::node, TreeMap::new, Collectors.toList()))
        .entrySet()
        .stream()
        .map(it -> row(it.getKey(), it.getValue()))
        .sorted(
            Comparator.comparingDouble((NodeUseRow it) -> -it.utilisationPercent().orElse(-1.0)))
        .toList();
  }

  private static NodeUseRow row(String node, List<UseRow> rows) {
    List<Double> used = known(rows, UseRow::utilisationPercent);
    return new NodeUseRow(
        node,
        rows.size(),
        used.isEmpty() ? Optional.empty() : Optional.of(sum(used).orElse(0.0) / used.size()),
        sum(known(rows, UseRow::memoryUsedMib)),
        sum(known(rows, UseRow::memoryMib)),
        sum(known(rows, UseRow::watts)),
        known(rows, UseRow::celsius).stream().max(Comparator.naturalOrder()),
        rows.stream().flatMap(it -> it.pods().stream()).map(UseRow.PodUse::id).distinct().count(),
        rows.stream().map(UseRow::problem).filter(it -> !it.isEmpty()).findFirst().orElse(""));
  }

  static List<Double> known(List<UseRow> rows, Function<UseRow, Optional<Double>> value) {
    return rows.stream().flatMap(it -> value.apply(it).stream()).toList();
  }

  static Optional<Double> sum(List<Double> values) {
    return values.stream().reduce(Double::sum);
  }
}
