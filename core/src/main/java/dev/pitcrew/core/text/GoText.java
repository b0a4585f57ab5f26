package dev.pitcrew.core.text;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers, truths and durations as Go's standard library reads them from text.
public final class GoText {
  private static final Set<String> TRUE = Set.of("1", "t", "T", "TRUE", "true", "True");
  private static final Set<String> FALSE = Set.of("0", "f", "F", "FALSE", "false", "False");
  private static final Pattern INTEGER =
      Pattern.compile(
          "(?<sign>[-+]?)(?:0x(?<hex>[0-9a-f_]+)|0b(?<bin>[01_]+)|0o?(?<oct>[0-7_]+)|(?<dec>0|[1-9][0-9_]*))");
  private static final Pattern DURATION =
      Pattern.compile("(?<sign>[-+]?)(?<terms>(?:[0-9]*\\.?[0-9]*(?:ns|us|µs|μs|ms|s|m|h))+)");
  private static final Pattern TERM =
      Pattern.compile("(?<amount>[0-9]+\\.?[0-9]*|\\.[0-9]+)(?<unit>ns|us|µs|μs|ms|s|m|h)");
  private static final BigDecimal MAX_NANOSECONDS = BigDecimal.valueOf(Long.MAX_VALUE);

  private static final long MICROSECOND = 1_000L;
  private static final long MILLISECOND = 1_000_000L;
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private GoText() {}

  /// The words of strconv.ParseBool.
  public static Optional<Boolean> bool(String text) {
    if (TRUE.contains(text)) {
      return Optional.of(true);
    }
    return FALSE.contains(text) ? Optional.of(false) : Optional.empty();
  }

  /// A whole number whose prefix gives the base.
  public static Optional<Integer> integer(String text) {
    Matcher matcher = INTEGER.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String digits = digits(matcher).replace("_", "");
    if (digits.isEmpty()) {
      return Optional.empty();
    }
    var value = new BigInteger(digits, base(matcher));
    var signed = matcher.group("sign").equals("-") ? value.negate() : value;
    return signed.bitLength() < Integer.SIZE ? Optional.of(signed.intValue()) : Optional.empty();
  }

  private static String digits(Matcher matcher) {
    for (String base : new String[] {"hex", "bin", "oct"}) {
      String digits = matcher.group(base);
      if (digits != null) {
        return digits;
      }
    }
    return String.valueOf(matcher.group("dec"));
  }

  private static int base(Matcher matcher) {
    if (matcher.group("hex") != null) {
      return 16;
    }
    if (matcher.group("bin") != null) {
      return 2;
    }
    return matcher.group("oct") != null ? 8 : 10;
  }

  public static Optional<Double> decimal(String text) {
    try {
      return Optional.of(Double.valueOf(text));
    } catch (NumberFormatException invalid) {
      return Optional.empty();
    }
  }

  /// Pairs of number and unit, such as `1m30s`; `0` needs no unit.
  public static Optional<Duration> duration(String text) {
    if (text.equals("0") || text.equals("+0") || text.equals("-0")) {
      return Optional.of(Duration.ZERO);
    }
    Matcher whole = DURATION.matcher(text);
    if (!whole.matches()) {
      return Optional.empty();
    }
    String terms = whole.group("terms");
    var total = BigDecimal.ZERO;
    int end = 0;
    for (Matcher term = TERM.matcher(terms); term.find(); end = term.end()) {
      if (term.start() != end) {
        return Optional.empty();
      }
      total = total.add(nanoseconds(term.group("amount"), term.group("unit")));
    }
    if (end != terms.length() || total.compareTo(MAX_NANOSECONDS) > 0) {
      return Optional.empty();
    }
    long nanoseconds = total.longValue();
    return Optional.of(
        Duration.ofNanos(whole.group("sign").equals("-") ? -nanoseconds : nanoseconds));
  }

  private static BigDecimal nanoseconds(String amount, String unit) {
    long factor =
        switch (unit) {
          case "h" -> 60 * MINUTE;
          case "m" -> MINUTE;
          case "s" -> SECOND;
          case "ms" -> MILLISECOND;
          case "us", "µs", "μs" -> MICROSECOND;
          default -> 1L;
        };
    return new BigDecimal(amount).multiply(BigDecimal.valueOf(factor));
  }

  /// A duration as Go prints it: `1m0s`, `500ms`, `5ns`.
  public static String written(Duration duration) {
    long nanoseconds = Math.abs(duration.toNanos());
    String sign = duration.isNegative() ? "-" : "";
    if (nanoseconds < SECOND) {
      return sign + smallUnit(nanoseconds);
    }
    long minutes = nanoseconds / MINUTE;
    String seconds = plain(nanoseconds % MINUTE, SECOND) + "s";
    if (minutes == 0) {
      return sign + seconds;
    }
    String hours = minutes < 60 ? "" : minutes / 60 + "h";
    return sign + hours + minutes % 60 + "m" + seconds;
  }

  private static String smallUnit(long nanoseconds) {
    if (nanoseconds == 0) {
      return "0s";
    }
    if (nanoseconds < MICROSECOND) {
      return nanoseconds + "ns";
    }
    return nanoseconds < MILLISECOND
        ? plain(nanoseconds, MICROSECOND) + "µs"
        : plain(nanoseconds, MILLISECOND) + "ms";
  }

  private static String plain(long nanoseconds, long unit) {
    var value = BigDecimal.valueOf(nanoseconds).divide(BigDecimal.valueOf(unit));
    return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
  }
}
