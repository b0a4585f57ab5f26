package dev.pitcrew.operator.render;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Whether a container can ask for these resources. The schema sees to the form of a quantity; that
/// a request stays within its limit is for us to see.
final class QuantityCheck {
  private QuantityCheck() {}

  /// @param field path of the section that holds `resources`
  static Optional<Problem> problem(String field, Resources resources) {
    String path = field + ".resources.";
    return unreadable(path + "limits.", resources.limits())
        .or(() -> unreadable(path + "requests.", resources.requests()))
        .or(() -> overLimit(path + "requests.", resources));
  }

  private static Optional<Problem> unreadable(String path, Map<String, IntOrString> quantities) {
    return new TreeMap<>(quantities)
        .entrySet().stream()
            .filter(entry -> amount(entry.getValue()).filter(sum -> sum.signum() >= 0).isEmpty())
            .findFirst()
            .map(entry ->
                Problem.of(
                    "SpecInvalid",
                    path + entry.getKey(),
                    entry.getValue().text(),
                    "give a quantity of zero or more, such as 500m or 2Gi"));
  }

  private static Optional<Problem> overLimit(String path, Resources resources) {
    return new TreeMap<>(resources.requests())
        .entrySet().stream()
            .filter(entry -> exceeds(entry.getValue(), resources.limits().get(entry.getKey())))
            .findFirst()
            .map(entry ->
                Problem.of(
                    "SpecInvalid",
                    path + entry.getKey(),
                    entry.getValue().text(),
                    "the limit is "
                        + resources.limits().getOrDefault(entry.getKey(), IntOrString.of(0)).text()
                        + ", and a request must not exceed it"));
  }

  private static boolean exceeds(IntOrString request, @Nullable IntOrString limit) {
    return limit != null
        && amount(request)
            .flatMap(asked -> amount(limit).map(most -> asked.compareTo(most) > 0))
            .orElse(false);
  }

  private static Optional<BigDecimal> amount(IntOrString quantity) {
    try {
      return Optional.of(new Quantity(quantity.text()).getNumericalAmount());
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
