package dev.pitcrew.operator.node;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A version of a driver, or the branch of one: `580.65.06`, `580`.
record DriverVersion(String text) {
  private static final Pattern NUMBERS =
      Pattern.compile("(\\d{1,6})((?:\\.\\d{1,6}){0,3})(?:-.*)?");

  /// @param text of a resource; what follows a hyphen is of the image, not of the driver
  /// @return empty for a digest, and for any other text without a version
  static Optional<DriverVersion> parse(String text) {
    Matcher matcher = NUMBERS.matcher(text);
    return matcher.matches()
        ? Optional.of(new DriverVersion(matcher.group(1) + matcher.group(2)))
        : Optional.empty();
  }

  /// Whether it is of this branch, or this very version.
  boolean isOf(DriverVersion branch) {
    return text.equals(branch.text) || text.startsWith(branch.text + ".");
  }

  int branch() {
    int end = text.indexOf('.');
    return Integer.parseInt(end < 0 ? text : text.substring(0, end));
  }
}
