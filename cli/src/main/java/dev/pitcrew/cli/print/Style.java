package dev.pitcrew.cli.print;

/// How text looks on a terminal with colours.
public enum Style {
  PLAIN(""),
  BOLD("\u001b[1m"),
  DIM("\u001b[2m"),
  GOOD("\u001b[32m"),
  BAD("\u001b[31m");

  static final String END = "\u001b[0m";

  private final String begin;

  Style(String begin) {
    this.begin = begin;
  }

  String apply(String text) {
    return this == PLAIN || text.isEmpty() ? text : begin + text + END;
  }
}
