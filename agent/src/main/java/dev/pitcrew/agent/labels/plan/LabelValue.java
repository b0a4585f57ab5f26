package dev.pitcrew.agent.labels.plan;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Converts texts of the hardware to label values. GPU feature discovery passes on a value that the
/// API server then refuses together with all other labels; here a value is always legal.
public final class LabelValue {
  private static final int LONGEST = 63;
  private static final String SEPARATOR = "-";

  private LabelValue() {}

  /// The words of a text without the characters that labels cannot have, joined by `-`.
  public static String sanitised(String text) {
    String kept = text.replaceAll("[^-A-Za-z0-9_. ]", "");
    return Stream.of(kept.split(" "))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.joining(SEPARATOR));
  }

  /// Cuts a value to 63 characters that start and end with a letter or a digit.
  public static String legal(String value) {
    return trimmed(cut(value.replaceAll("[^-A-Za-z0-9_.]", ""), LONGEST));
  }

  /// A product with what is special about it, such as `MIG` and a profile. The suffixes distinguish
  /// resources, so the model is cut where both are too long.
  static String product(String model, List<String> suffixes) {
    String suffix = suffixes.stream().map(SEPARATOR::concat).collect(Collectors.joining());
    String name = trimmed(cut(trimmed(sanitised(model)), LONGEST - suffix.length()));
    return legal(name + suffix);
  }

  private static String cut(String value, int length) {
    return value.substring(0, Math.clamp(length, 0, value.length()));
  }

  private static String trimmed(String value) {
    return value.replaceAll("^[-_.]+|[-_.]+$", "");
  }
}
