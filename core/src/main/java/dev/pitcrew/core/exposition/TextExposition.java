package dev.pitcrew.core.exposition;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.regex.Pattern;

/// A page of metrics as it grows (Prometheus text format 0.0.4): the head of a metric, then its
/// samples.
public final class TextExposition {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");

  /// Every whole number below it is written without an exponent, and exactly.
  private static final double WHOLE_LIMIT = 1e15;

  private final StringBuilder page = new StringBuilder();
  private String metric = "";

  /// Begins a metric; the samples that follow are its own.
  ///
  /// @throws IllegalArgumentException for a name that Prometheus would not read
  public TextExposition metric(String name, MetricType type, String help) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("'%s' is no name of a metric".formatted(name));
    }
    metric = name;
    page.append("# HELP ").append(name).append(' ');
    escape(help, false);
    page.append("\n# TYPE ").append(name).append(' ');
    page.append(type.name().toLowerCase(Locale.ROOT)).append('\n');
    return this;
  }

  /// @param labels in the order in which they are written
  public TextExposition sample(List<MetricLabel> labels, double value) {
    return sample("", labels, value);
  }

  /// All samples of a histogram.
  ///
  /// @param buckets how many values are not above each limit
  /// @param count how many values there are
  public TextExposition histogram(
      List<MetricLabel> labels, SortedMap<Double, Long> buckets, long count, double sum) {
    buckets.forEach((limit, values) -> bucket(labels, limit, values));
    bucket(labels, Double.POSITIVE_INFINITY, count);
    return sample("_sum", labels, sum).sample("_count", labels, (double) count);
  }

  private void bucket(List<MetricLabel> labels, double limit, long values) {
    var all = new ArrayList<>(labels);
    all.add(new MetricLabel("le", number(limit)));
    sample("_bucket", all, (double) values);
  }

  private TextExposition sample(String suffix, List<MetricLabel> labels, double value) {
    page.append(metric).append(suffix);
    char before = '{';
    for (MetricLabel label : labels) {
      page.append(before).append(label.name()).append("=\"");
      escape(label.value(), true);
      page.append('"');
      before = ',';
    }
    page.append(labels.isEmpty() ? " " : "} ").append(number(value)).append('\n');
    return this;
  }

  public String text() {
    return page.toString();
  }

  private void escape(String text, boolean isQuoted) {
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      switch (character) {
        case '\\' -> page.append("\\\\");
        case '\n' -> page.append("\\n");
        case '"' -> page.append(isQuoted ? "\\\"" : "\"");
        default -> page.append(character);
      }
    }
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    return value == Math.rint(value) && Math.abs(value) < WHOLE_LIMIT
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
