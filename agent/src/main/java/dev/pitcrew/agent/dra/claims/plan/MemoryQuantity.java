package dev.pitcrew.agent.dra.claims.plan;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Quantities of Kubernetes, such as `1Gi` or `500e6`, as whole bytes. Those beyond 2^63-1 count as
/// that, as in Kubernetes (apimachinery, resource.Quantity).
final class MemoryQuantity {
  static final String ALLOWED = "a quantity such as 512Mi or 1G";

  private static final int LONGEST = 128;
  private static final int MOST_DIGITS = 19;
  private static final Pattern FORM =
      Pattern.compile("([+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+))([a-zA-Z]*)([+-]?[0-9]*)");
  private static final Pattern EXPONENT = Pattern.compile("[+-]?[0-9]{1,4}");

  private static final Map<String, BigDecimal> UNITS =
      Map.ofEntries(
          unit("n", 10, -9),
          unit("u", 10, -6),
          unit("m", 10, -3),
          unit("", 10, 0),
          unit("k", 10, 3),
          unit("M", 10, 6),
          unit("G", 10, 9),
          unit("T", 10, 12),
          unit("P", 10, 15),
          unit("E", 10, 18),
          unit("Ki", 2, 10),
          unit("Mi", 2, 20),
          unit("Gi", 2, 30),
          unit("Ti", 2, 40),
          unit("Pi", 2, 50),
          unit("Ei", 2, 60));

  private MemoryQuantity() {}

  private static Map.Entry<String, BigDecimal> unit(String name, int base, int power) {
    return Map.entry(
        name,
        power < 0 ? BigDecimal.ONE.scaleByPowerOfTen(power) : BigDecimal.valueOf(base).pow(power));
  }

  /// Rounded down; empty for what is no quantity.
  static Optional<Long> bytes(String text) {
    if (text.length() > LONGEST) {
      return Optional.empty();
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    String unit = matcher.group(2);
    String exponent = matcher.group(3);
    if (exponent.isEmpty()) {
      return Optional.ofNullable(UNITS.get(unit)).map(factor -> whole(number.multiply(factor)));
    }
    boolean isScientific = unit.equals("e") || unit.equals("E");
    return isScientific && EXPONENT.matcher(exponent).matches()
        ? Optional.of(whole(number.scaleByPowerOfTen(Integer.parseInt(exponent))))
        : Optional.empty();
  }

  private static long whole(BigDecimal number) {
    int digits = number.precision() - number.scale();
    if (number.signum() == 0 || digits <= 0) {
      return 0;
    }
    if (digits > MOST_DIGITS) {
      return number.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return number
        .setScale(0, RoundingMode.DOWN)
        .min(BigDecimal.valueOf(Long.MAX_VALUE))
        .max(BigDecimal.valueOf(Long.MIN_VALUE))
        .longValue();
  }
}
