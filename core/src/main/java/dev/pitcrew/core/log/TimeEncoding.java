package dev.pitcrew.core.log;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;

/// How a time stamp is written: the values of `--zap-time-encoding`. Text is always UTC.
public enum TimeEncoding {
  /// Seconds as a decimal fraction.
  EPOCH("epoch"),
  /// Milliseconds as a decimal fraction.
  MILLIS("millis"),
  /// Nanoseconds, a whole number.
  NANO("nano"),
  /// Text with milliseconds.
  ISO8601("iso8601"),
  /// Text with whole seconds.
  RFC3339("rfc3339"),
  /// Text with as many digits as the clock gave.
  RFC3339NANO("rfc3339nano");

  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

  private final String value;

  TimeEncoding(String value) {
    this.value = value;
  }

  /// Empty when the text is none of the known spellings.
  public static Optional<TimeEncoding> parse(String text) {
    return Arrays.stream(values()).filter(encoding -> encoding.value.equals(text)).findFirst();
  }

  /// Numeric encodings are JSON numbers, the others JSON strings.
  boolean isNumeric() {
    return switch (this) {
      case EPOCH, MILLIS, NANO -> true;
      case ISO8601, RFC3339, RFC3339NANO -> false;
    };
  }

  String encode(Instant time) {
    return switch (this) {
      case EPOCH -> fraction(time, 9);
      case MILLIS -> fraction(time, 6);
      case NANO -> nanoseconds(time).toPlainString();
      case ISO8601 -> MILLISECONDS.format(time);
      case RFC3339 -> time.truncatedTo(ChronoUnit.SECONDS).toString();
      case RFC3339NANO -> time.toString();
    };
  }

  private static String fraction(Instant time, int digits) {
    return nanoseconds(time).movePointLeft(digits).toPlainString();
  }

  private static BigDecimal nanoseconds(Instant time) {
    return BigDecimal.valueOf(time.getEpochSecond())
        .movePointRight(9)
        .add(BigDecimal.valueOf(time.getNano()));
  }
}
