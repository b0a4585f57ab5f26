package dev.pitcrew.agent.metrics.counters;

/// One row of a counters file.
///
/// @param name as the file spells it, which is the name of the series
/// @param type as the file says, in lower case
/// @param help for people
public record Counter(String name, Field field, Type type, String help) {

  /// The type that is declared to Prometheus.
  public enum Type {
    GAUGE,
    COUNTER,
    HISTOGRAM,
    SUMMARY,
    /// No series: its text is a label on the others.
    LABEL
  }

  public boolean isLabel() {
    return type == Type.LABEL;
  }
}
