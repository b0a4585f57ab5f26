package dev.pitcrew.agent.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// How soon each blocker was reported and cleared, for people: a busy machine takes longer, so
/// these are no claims.
final class BlockerTable {
  private static final String TITLES = "%-26s %-30s %-12s %9s %9s %9s %9s%n";
  private static final String ROW = "%-26s %-30s %-12s %6d ms %6d ms %6d ms %6d ms%n";

  private final List<String> reasons = new ArrayList<>();
  private final StringBuilder rows = new StringBuilder();

  /// After the cause: until each place reported it. After the remedy: until none did.
  record Times(Duration condition, Duration event, Duration gpuNode, Duration gone) {}

  void add(Injection injection, Times times) {
    reasons.add(injection.reason());
    rows.append(
        ROW.formatted(
            injection.reason(),
            injection.how(),
            injection.type().type(),
            times.condition().toMillis(),
            times.event().toMillis(),
            times.gpuNode().toMillis(),
            times.gone().toMillis()));
  }

  List<String> reasons() {
    return List.copyOf(reasons);
  }

  @Override
  public String toString() {
    return TITLES.formatted(
            "blocker", "how", "reported by", "condition", "Event", "GPUNode", "gone")
        + rows;
  }
}
