package dev.pitcrew.agent.metrics.counters;

/// What is wrong with a counters file.
///
/// @param file where it was read
/// @param line counted from 1; 0 where the file as a whole is meant
/// @param value what stands there
/// @param remedy what to write
public record CounterProblem(String file, int line, String value, String remedy) {

  /// For people, such as `counters.csv:12: 'gauge2': ...`.
  public String text() {
    return line == 0
        ? "%s: %s; %s".formatted(file, value, remedy)
        : "%s:%d: '%s': %s".formatted(file, line, value, remedy);
  }
}
