package dev.pitcrew.testbed.scenario.compare;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// What one ignore line did in a run.
///
/// @param hiddenByScenario how many facts it left out, for each scenario in which it left out any;
///   a fact counts for the first line that matches it
/// @param different how many of these facts were not equal
public record IgnoreUse(
    IgnoreLine line, SortedMap<String, Integer> hiddenByScenario, int different) {

  /// The use of each line of a file, in its order.
  ///
  /// @param comparisons those of each scenario that was played
  public static List<IgnoreUse> of(
      IgnoreFile file, Map<String, ? extends Collection<Comparison>> comparisons) {
    return file.lines().stream().map(line -> of(line, comparisons)).toList();
  }

  private static IgnoreUse of(
      IgnoreLine line, Map<String, ? extends Collection<Comparison>> comparisons) {
    var hidden = new TreeMap<String, Integer>();
    var different = 0;
    for (var scenario : comparisons.entrySet()) {
      for (var comparison : scenario.getValue()) {
        var facts = comparison.ignored().stream().filter(fact -> fact.line().equals(line)).toList();
        hidden.merge(scenario.getKey(), facts.size(), Integer::sum);
        different += (int) facts.stream().filter(fact -> !fact.isEqual()).count();
      }
    }
    hidden.values().removeIf(count -> count == 0);
    return new IgnoreUse(line, hidden, different);
  }

  /// How many facts the line left out in the whole run.
  public int hidden() {
    return hiddenByScenario.values().stream().mapToInt(Integer::intValue).sum();
  }

  /// Whether the line left out nothing although every scenario that it is meant for was played.
  ///
  /// @param all the names of all scenarios
  /// @param played the names of those that were played
  public boolean isStale(Set<String> all, Set<String> played) {
    var meant = line.scenarios().isEmpty() ? all : line.scenarios();
    return hidden() == 0 && played.containsAll(meant);
  }
}
