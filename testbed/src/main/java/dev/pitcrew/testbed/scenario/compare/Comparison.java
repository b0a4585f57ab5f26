package dev.pitcrew.testbed.scenario.compare;

import java.util.List;

/// How two sets of facts compare.
///
/// @param equal how many facts are equal on both sides
/// @param differences the facts that are not, sorted by path
/// @param ignored the facts that were left out, equal or not
public record Comparison(int equal, List<Difference> differences, List<IgnoredFact> ignored) {

  public Comparison {
    differences = List.copyOf(differences);
    ignored = List.copyOf(ignored);
  }

  /// A fact that was left out, the first line that asked for it, and whether it would have been
  /// equal.
  public record IgnoredFact(IgnoreLine line, String path, boolean isEqual) {}

  /// How many facts were compared: all that either side has, less those left out.
  public int compared() {
    return equal + differences.size();
  }

  public boolean isEqual() {
    return differences.isEmpty();
  }
}
