package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/// A page of metrics that is sent as it is written, with label texts that are made once and written
/// often. A page of many instances has hundreds of kilobytes: as one piece it would be half of the
/// heap's nursery, and each scrape would leave one in the old generation.
final class Exposition {
  private static final int BUFFER_BYTES = 8 << 10;
  private static final int ASCII = 0x80;
  private static final int DECIMALS = 6;
  private static final double DECIMAL_LIMIT = 1e12;
  private static final long MILLION = 1_000_000;
  private static final double HAIR = 1e-6;

  private final OutputStream to;
  private final Form form;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int used;
  private byte[] metric = {};

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

  /// @param to is not closed
  Exposition(Form form, OutputStream to) {
    this.form = form;
    this.to = to;
  }

  /// Begins a metric, whose samples follow.
  void metric(String name, Counter.Type type, String help) {
    metric = name.getBytes(StandardCharsets.UTF_8);
    String family = name;
    String word = type.name().toLowerCase(Locale.ROOT);
    if (form == Form.OPEN_METRICS && type == Counter.Type.COUNTER) {
      // There a counter's samples end in _total, and a name must not depend on who asks.
      boolean isTotal = name.endsWith("_total");
      family = isTotal ? name.substring(0, name.length() - "_total".length()) : name;
      word = isTotal ? word : "unknown";
    }
    var head = new StringBuilder("# HELP ").append(family).append(' ');
    escape(head, help, form == Form.OPEN_METRICS);
    put(head.append("\n# TYPE ").append(family).append(' ').append(word).append('\n').toString());
  }

  /// @param labels as [#labels] makes them
  void sample(byte[] labels, double value, Field.Form number) {
    put(metric);
    if (labels.length > 0) {
      put('{');
      put(labels);
      put('}');
    }
    put(' ');
    number(value, number);
    put('\n');
  }

  /// Writes what remains.
  void end() {
    if (form == Form.OPEN_METRICS) {
      put("# EOF\n");
    }
    flush();
  }

  /// Labels in the order of the map.
  static byte[] labels(Map<String, String> labels) {
    var text = new StringBuilder();
    labels.forEach((name, value) -> {
      text.append(text.isEmpty() ? "" : ",").append(name).append("=\"");
      escape(text, value, true);
      text.append('"');
    });
    return text.toString().getBytes(StandardCharsets.UTF_8);
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
      // Cut off, as in dcgm-exporter; a product of factors may lie a hair below.
      put(Long.toString((long) Math.floor(value + HAIR)));
    } else if (Math.abs(value) < DECIMAL_LIMIT) {
      long millionths = Math.round(value * MILLION);
      put(millionths < 0 ? "-" : "");
      put(Long.toString(Math.abs(millionths) / MILLION));
      put('.');
      String decimals = Long.toString(Math.abs(millionths) % MILLION);
      for (int zeros = decimals.length(); zeros < DECIMALS; zeros++) {
        put('0');
      }
      put(decimals);
    } else {
      put(new BigDecimal(value).setScale(DECIMALS, RoundingMode.HALF_EVEN).toPlainString());
    }
  }

  private void put(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= ASCII) {
        put(text.substring(i).getBytes(StandardCharsets.UTF_8));
        return;
      }
      put(text.charAt(i));
    }
  }

  private void put(char ascii) {
    if (used == buffer.length) {
      flush();
    }
    buffer[used++] = (byte) ascii;
  }

  private void put(byte[] bytes) {
    for (int done = 0; done < bytes.length; ) {
      if (used == buffer.length) {
        flush();
      }
      int part = Math.min(bytes.length - done, buffer.length - used);
      System.arraycopy(bytes, done, buffer, used, part);
      used += part;
      done += part;
    }
  }

  private void flush() {
    try {
      to.write(buffer, 0, used);
      used = 0;
    } catch (IOException e) {
      throw new UncheckedIOException("sending metrics", e);
    }
  }
}
