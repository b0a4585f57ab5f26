package dev.pitcrew.testbed.scenario.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.scenario.compare.Comparison.IgnoredFact;
import java.util.ArrayList;
import java.util.Optional;
import java.util.TreeSet;

/// Compares the facts of one scenario. A missing and a superfluous fact count like a wrong one.
///
/// @param scenario the name that ignore lines are chosen by
public record FactComparison(String scenario, IgnoreFile ignore) {

  public Comparison compare(JsonNode expected, JsonNode actual) {
    var left = FactLeaves.of(expected);
    var right = FactLeaves.of(actual);
    var paths = new TreeSet<>(left.keySet());
    paths.addAll(right.keySet());
    var ignored = new ArrayList<IgnoredFact>();
    var differences = new ArrayList<Difference>();
    for (var path : paths) {
      var difference =
          new Difference(
              path,
              left.getOrDefault(path, Difference.ABSENT),
              right.getOrDefault(path, Difference.ABSENT));
      var isEqual = difference.expected().equals(difference.actual());
      var line = hiding(path);
      if (line.isPresent()) {
        ignored.add(new IgnoredFact(line.get(), path, isEqual));
      } else if (!isEqual) {
        differences.add(difference);
      }
    }
    var equal = paths.size() - ignored.size() - differences.size();
    return new Comparison(equal, differences, ignored);
  }

  private Optional<IgnoreLine> hiding(String path) {
    return ignore.lines().stream().filter(line -> line.hides(scenario, path)).findFirst();
  }
}
