package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.compare.Comparison;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SequencedMap;

/// How one scenario went.
public sealed interface ScenarioResult {

  /// The scenario's name.
  String name();

  /// The scenario was played to its end.
  ///
  /// @param comparisons by the file with the expected facts, in the order of the recordings
  /// @param notes what the reader should know beside the differences
  record Played(
      String name, SequencedMap<String, Comparison> comparisons, List<String> notes, Duration took)
      implements ScenarioResult {

    public int equal() {
      return sum(comparisons.values().stream().map(Comparison::equal).toList());
    }

    /// How many facts were compared.
    public int compared() {
      return sum(comparisons.values().stream().map(Comparison::compared).toList());
    }

    /// How many facts were left out.
    public int ignored() {
      return sum(comparisons.values().stream().map(each -> each.ignored().size()).toList());
    }

    public boolean isEqual() {
      return equal() == compared();
    }

    private static int sum(Collection<Integer> counts) {
      return counts.stream().mapToInt(Integer::intValue).sum();
    }
  }

  /// The scenario could not be played.
  record Broken(String name, String problem, Duration took) implements ScenarioResult {}
}
