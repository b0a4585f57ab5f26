package dev.pitcrew.testbed.scenario.compare;

import java.util.Set;

/// Facts that are left out of comparisons, and why.
///
/// @param number the line in its file, counted from 1
/// @param scenarios the names of the scenarios in which the line counts; none means all
public record IgnoreLine(int number, Set<String> scenarios, FactPattern pattern, String reason) {

  public IgnoreLine {
    scenarios = Set.copyOf(scenarios);
  }

  boolean appliesTo(String scenario) {
    return scenarios.isEmpty() || scenarios.contains(scenario);
  }

  /// Whether the line leaves out one fact of a scenario.
  public boolean hides(String scenario, String path) {
    return appliesTo(scenario) && pattern.matches(path);
  }
}
