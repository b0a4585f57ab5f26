package dev.pitcrew.testbed.bench;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/// One measure, the NVIDIA GPU Operator's figure, and our target.
///
/// @param references by number of nodes
/// @param limits by number of nodes: a figure up to this meets the target
record Goal(
    String measure,
    Unit unit,
    Map<Integer, String> references,
    Map<Integer, Double> limits,
    ToDoubleFunction<SizeFigures> figure) {

  enum Unit {
    MEBIBYTES("%,.0f MiB"),
    FINE_MEBIBYTES("%.1f MiB"),
    SECONDS("%.1f s"),
    MILLISECONDS("%.0f ms"),
    FINE_MILLISECONDS("%.2f ms"),
    CALLS("%,.0f"),
    CALLS_EACH("%.2f"),
    PERCENT("%.1f %%");

    private final String format;

    Unit(String format) {
      this.format = format;
    }

    String text(double figure) {
      return String.format(Locale.ROOT, format, figure);
    }
  }

  Goal {
    references = Map.copyOf(references);
    limits = Map.copyOf(limits);
  }

  Row row(SizeFigures figures) {
    var nodes = figures.nodes();
    var ours = figure.applyAsDouble(figures);
    var limit = Optional.ofNullable(limits.get(nodes));
    return new Row(
        measure,
        nodes,
        references.getOrDefault(nodes, ""),
        limit.map(most -> "≤ " + unit.text(most)).orElse(""),
        unit.text(ours),
        limit.map(most -> ours <= most));
  }
}
