package dev.pitcrew.hardware.driver;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// File names with `*` for any text; all other characters mean themselves.
final class NamePattern {
  private NamePattern() {}

  static Predicate<String> of(String glob) {
    String regex =
        Arrays.stream(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
    return Pattern.compile(regex, Pattern.DOTALL).asMatchPredicate();
  }
}
