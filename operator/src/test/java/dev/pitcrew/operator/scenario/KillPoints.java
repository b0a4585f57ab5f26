package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.junit.Soak;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Writes in the middle of which an operator is killed.
final class KillPoints {
  /// One write, in whose flight the operator is killed.
  ///
  /// @param sort as a [dev.pitcrew.testbed.trouble.WriteGate] names it
  /// @param number counted from the user's change on
  /// @param lands whether the API server carries it out all the same
  record KillPoint(String sort, int number, boolean lands) {
    @Override
    public String toString() {
      return "%s %d, which %s".formatted(sort, number, lands ? "lands" : "never lands");
    }
  }

  private KillPoints() {}

  /// In `make test` these writes, of which every other one lands; in a soak every write of these
  /// sorts, once so and once so.
  ///
  /// @param usual numbers by sort, in the order in which they are played
  /// @param counts of an undisturbed run by sort
  static List<KillPoint> of(Map<String, List<Integer>> usual, Map<String, Integer> counts) {
    var points = new ArrayList<KillPoint>();
    usual.forEach((sort, numbers) -> {
      for (int number : numbers) {
        points.add(new KillPoint(sort, number, points.size() % 2 == 0));
      }
    });
    var all =
        usual.keySet().stream()
            .flatMap(sort ->
                IntStream.rangeClosed(1, counts.getOrDefault(sort, 0))
                    .boxed()
                    .flatMap(number ->
                        Stream.of(true, false).map(lands -> new KillPoint(sort, number, lands))))
            .toList();
    return Soak.cases(points, all);
  }

  /// All sorts of writes that are known, killed after or not.
  static Set<String> sorts(Map<String, List<Integer>> points, String... others) {
    var sorts = new LinkedHashSet<>(points.keySet());
    sorts.addAll(List.of(others));
    return sorts;
  }
}
