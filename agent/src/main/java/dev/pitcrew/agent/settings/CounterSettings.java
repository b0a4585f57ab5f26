package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.metrics.counters.CounterProblem;
import java.util.List;
import java.util.Optional;

/// Which counters the metrics show.
///
/// @param configMap the ConfigMap to watch for their list, in the operator's namespace
/// @param list the last list of it that was right; empty where none was, and where no ConfigMap has
///   one
/// @param problems why that is not the list that is written
public record CounterSettings(
    Optional<String> configMap, Optional<Text> list, List<CounterProblem> problems) {
  static final CounterSettings DEFAULTS =
      new CounterSettings(Optional.empty(), Optional.empty(), List.of());

  public CounterSettings {
    problems = List.copyOf(problems);
  }

  /// The text of a counters file.
  ///
  /// @param place where it stands, for people
  public record Text(String place, String text) {}
}
