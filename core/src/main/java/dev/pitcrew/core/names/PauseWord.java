package dev.pitcrew.core.names;

/// The word in the value of a label `nvidia.com/gpu.deploy.*` by which an operand is removed from a
/// node while its driver is replaced. It is the only record of a pause, so that the successor of a
/// manager that died can end it.
public final class PauseWord {
  private static final String WORD = "paused-for-driver-upgrade";
  private static final String TURNED_OFF = "false";

  private PauseWord() {}

  /// An operand that a user has turned off, or that was never asked for, stays as it is.
  public static String paused(String value) {
    if (value.isEmpty() || value.equals(TURNED_OFF) || isIn(value)) {
      return value;
    }
    return value.equals("true") ? WORD : beside(value);
  }

  /// The word beside a value that stays as it is.
  public static String beside(String value) {
    return value + "_" + WORD;
  }

  /// Whether the value of a label marks a pause.
  public static boolean isIn(String value) {
    return value.contains(WORD);
  }

  /// What the value was; one without the word is its own.
  public static String resumed(String value) {
    if (value.equals(WORD)) {
      return "true";
    }
    return isIn(value)
        ? value.replace(WORD + "_", "").replace(WORD, "").replaceAll("^_+|_+$", "")
        : value;
  }
}
