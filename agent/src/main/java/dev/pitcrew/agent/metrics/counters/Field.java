package dev.pitcrew.agent.metrics.counters;

import java.util.List;
import java.util.Optional;

/// What a counters file can name.
///
/// @param id the number by which metrics are ordered
/// @param origin where its value is found; empty where the node has none
/// @param names all spellings; a series is called as the counters file spells it
public record Field(int id, Form form, Optional<Origin> origin, List<String> names) {
  public Field {
    names = List.copyOf(names);
  }

  /// How a value is written.
  public enum Form {
    /// Without decimals.
    WHOLE,
    /// With six decimals, always.
    DECIMAL,
    TEXT,
    BYTES
  }

  /// Whether only GPUs with performance monitoring have it; a counters file may name it on all.
  public boolean isProfiling() {
    return id >= 1000 && id < 1100;
  }
}
