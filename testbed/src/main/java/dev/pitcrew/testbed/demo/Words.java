package dev.pitcrew.testbed.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How numbers and long texts are put for a person.
final class Words {
  private static final Duration AS_MILLISECONDS = Duration.ofSeconds(1);

  /// Plain ASCII, as all words of the demo: a build's log may know nothing else.
  private static final String CUT = "...";

  private Words() {}

  /// `text` in lines of at most `width` characters, broken at spaces; at least one line.
  static List<String> wrapped(String text, int width) {
    var lines = new ArrayList<String>();
    var line = new StringBuilder();
    for (var word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /// The beginning of `text`, marked where something was cut off.
  static String shortened(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width - CUT.length()) + CUT;
  }

  /// Such as `240 ms` and `3.1 s`.
  static String of(Duration duration) {
    return duration.compareTo(AS_MILLISECONDS) < 0
        ? duration.toMillis() + " ms"
        : String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
  }

  /// Such as `1 check` and `3 checks`.
  static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
