package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.Goal.Unit;
import java.util.OptionalDouble;

/// One measured figure, beside NVIDIA's and our target.
///
/// @param reference empty where there is no figure of NVIDIA's
/// @param limit a figure up to this meets the target
record Figure(String measure, Unit unit, String reference, OptionalDouble limit, double ours) {
  Figure(String measure, Unit unit, String reference, double ours) {
    this(measure, unit, reference, OptionalDouble.empty(), ours);
  }

  Figure atMost(double most) {
    return new Figure(measure, unit, reference, OptionalDouble.of(most), ours);
  }

  /// A line of a Markdown table.
  String row() {
    return "| %s | %s | %s | %s | %s |"
        .formatted(
            measure,
            reference,
            limit.isPresent() ? "≤ " + unit.text(limit.getAsDouble()) : "",
            unit.text(ours),
            limit.isEmpty() ? "" : ours <= limit.getAsDouble() ? "yes" : "**no**");
  }
}
