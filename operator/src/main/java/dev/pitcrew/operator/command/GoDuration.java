package dev.pitcrew.operator.command;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Durations as Go programs take them: `15s`, `1m30s`, `1.5h`, `500ms`, `0`.
final class GoDuration implements ITypeConverter<Duration> {
  private static final Pattern TERM =
      Pattern.compile("\\G(?<amount>[0-9]{1,9}(\\.[0-9]{1,9})?)(?<unit>h|ms|m|s|us|µs|ns)");

  @Override
  public Duration convert(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Duration total = Duration.ZERO;
    Matcher term = TERM.matcher(text);
    int end = 0;
    while (term.find()) {
      var nanoseconds =
          new BigDecimal(term.group("amount")).multiply(nanosecondsPer(term.group("unit")));
      total = total.plusNanos(nanoseconds.longValue());
      end = term.end();
    }
    if (end == 0 || end < text.length()) {
      throw new TypeConversionException(
          "'%s' is no duration; give a number with its unit, such as 15s or 1m30s".formatted(text));
    }
    return total;
  }

  private static BigDecimal nanosecondsPer(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "h" -> 3_600_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "s" -> 1_000_000_000L;
          case "ms" -> 1_000_000L;
          case "us", "µs" -> 1_000L;
          default -> 1L;
        });
  }
}
