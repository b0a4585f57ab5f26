package dev.pitcrew.agent.runtime.plan;

import java.util.Optional;
import java.util.regex.Pattern;

/// The first two numbers of a runtime's version.
public record RuntimeVersion(int major, int minor) {
  private static final Pattern NUMBERS = Pattern.compile("(?<![.\\w])v?(\\d{1,4})\\.(\\d{1,4})");

  /// @param text such as `containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b71` or
  ///   `containerd://1.7.27`
  public static Optional<RuntimeVersion> in(String text) {
    var numbers = NUMBERS.matcher(text);
    return numbers.find()
        ? Optional.of(
            new RuntimeVersion(
                Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))))
        : Optional.empty();
  }

  public boolean isAtLeast(int otherMajor, int otherMinor) {
    return major > otherMajor || (major == otherMajor && minor >= otherMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
