package dev.pitcrew.core.exposition;

import java.util.regex.Pattern;

/// A label of a sample. Its value may be any text; a name that Prometheus would not read is
/// refused.
public record MetricLabel(String name, String value) {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  public MetricLabel {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("'%s' is no name of a label".formatted(name));
    }
  }
}
