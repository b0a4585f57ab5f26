package dev.pitcrew.device.dra;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Makes versions of drivers semantic versions (semver.org, 2.0.0), which attributes must be: three
/// numbers without leading zeros.
final class SemanticVersion {
  private static final int PARTS = 3;

  /// The API server reads each number as 64 bits.
  private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,18}(\\.[0-9]{1,18}){0,2}");

  private SemanticVersion() {}

  /// `12.4.0` of `12.4`, `550.163.1` of `550.163.01`; empty for a fourth part and for what is no
  /// number.
  static Optional<String> of(String version) {
    if (!NUMBERS.matcher(version).matches()) {
      return Optional.empty();
    }
    var numbers = Arrays.stream(version.split("\\.")).map(Long::parseLong).map(String::valueOf);
    return Optional.of(
        Stream.concat(numbers, Stream.generate(() -> "0"))
            .limit(PARTS)
            .collect(Collectors.joining(".")));
  }
}
