package dev.pitcrew.cli.print;

import java.nio.charset.Charset;
import java.util.Map;

/// What the output goes to.
///
/// @param width in columns; no text is cut where it goes to a file or a pipe
/// @param unicode whether it shows more than ASCII
public record Terminal(boolean colour, int width, boolean unicode) {
  /// Set by the launcher, since only a shell finds it out without a library.
  static final String IS_TERMINAL = "pitcrew.terminal";

  private static final int NARROWEST = 40;

  /// @param noColour asked for by a flag
  public static Terminal of(Map<String, String> environment, Charset charset, boolean noColour) {
    boolean isColourWanted =
        !noColour
            && environment.getOrDefault("NO_COLOR", "").isEmpty()
            && !"dumb".equals(environment.get("TERM"));
    return new Terminal(
        isInteractive() && isColourWanted,
        width(environment.getOrDefault("COLUMNS", "")),
        charset.name().startsWith("UTF"));
  }

  static boolean isInteractive() {
    return Boolean.getBoolean(IS_TERMINAL);
  }

  private static int width(String columns) {
    try {
      int width = Integer.parseInt(columns);
      return width <= 0 ? Integer.MAX_VALUE : Math.max(NARROWEST, width);
    } catch (NumberFormatException _) {
      return Integer.MAX_VALUE;
    }
  }
}
