package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/// A page of metrics as it grows, with label texts that are made once and written often.
final class Exposition {
  private static final int DECIMALS = 6;
  private static final double DECIMAL_LIMIT = 1e12;
  private static final long MILLION = 1_000_000;
  private static final double HAIR = 1e-6;

  private final StringBuilder page;
  private final Form form;
  private String metric = "";

  /// In which words.
  enum Form {
    /// What Prometheus has read from the beginning.
    PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
    OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

    private final String contentType;

    Form(String contentType) {
      this.contentType = contentType;
    }

    String contentType() {
      return contentType;
    }

    /// The one that a request asks for.
    static Form of(String accept) {
      return accept.contains("application/openmetrics-text") ? OPEN_METRICS : PROMETHEUS;
    }
  }

  /// @param expected how long the page will be, about
  Exposition(Form form, int expected) {
    this.form = form;
    page = new StringBuilder(expected);
  }

  /// Begins a metric, whose samples follow.
  void metric(String name, Counter.Type type, String help) {
    metric = name;
    String family = name;
    String word = type.name().toLowerCase(Locale.ROOT);
    if (form == Form.OPEN_METRICS && type == Counter.Type.COUNTER) {
      // There a counter's samples end in _total, and a name must not depend on who asks.
      boolean isTotal = name.endsWith("_total");
      family = isTotal ? name.substring(0, name.length() - "_total".length()) : name;
      word = isTotal ? word : "unknown";
    }
    page.append("# HELP ").append(family).append(' ');
    escape(page, help, form == Form.OPEN_METRICS);
    page.append("\n# TYPE ").append(family).append(' ').append(word).append('\n');
  }

  /// @param labels as [#labels] makes them
  void sample(String labels, double value, Field.Form number) {
    page.append(metric);
    if (!labels.isEmpty()) {
      page.append('{').append(labels).append('}');
    }
    page.append(' ');
    number(value, number);
    page.append('\n');
  }

  byte[] bytes() {
    if (form == Form.OPEN_METRICS) {
      page.append("# EOF\n");
    }
    return page.toString().getBytes(StandardCharsets.UTF_8);
  }

  /// Labels in the order of the map.
  static String labels(Map<String, String> labels) {
    var text = new StringBuilder();
    labels.forEach((name, value) -> {
      text.append(text.isEmpty() ? "" : ",").append(name).append("=\"");
      escape(text, value, true);
      text.append('"');
    });
    return text.toString();
  }

  private static void escape(StringBuilder to, String text, boolean withQuotes) {
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      switch (character) {
        case '\\' -> to.append("\\\\");
        case '\n' -> to.append("\\n");
        case '"' -> to.append(withQuotes ? "\\\"" : "\"");
        default -> to.append(character);
      }
    }
  }

  private void number(double value, Field.Form number) {
    if (number == Field.Form.WHOLE) {
      // Cut off, as the reference does; a product of factors may lie a hair below.
      page.append((long) Math.floor(value + HAIR));
    } else if (Math.abs(value) < DECIMAL_LIMIT) {
      long millionths = Math.round(value * MILLION);
      page.append(millionths < 0 ? "-" : "").append(Math.abs(millionths) / MILLION).append('.');
      String decimals = String.valueOf(Math.abs(millionths) % MILLION);
      page.repeat('0', DECIMALS - decimals.length()).append(decimals);
    } else {
      page.append(new BigDecimal(value).setScale(DECIMALS, RoundingMode.HALF_EVEN).toPlainString());
    }
  }
}
