package dev.pitcrew.testbed.scenario.compare;

/// One fact that is not as expected. Values are JSON text, or `(absent)`.
public record Difference(String path, String expected, String actual) {
  static final String ABSENT = "(absent)";
}
