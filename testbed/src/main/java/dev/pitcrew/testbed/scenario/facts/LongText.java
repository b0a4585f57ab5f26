package dev.pitcrew.testbed.scenario.facts;

/// Long texts are facts only in that they are there: their wording is the operator's own.
final class LongText {
  private static final int LONGEST = 160;

  /// A label, an annotation or another value.
  static String shortened(String text) {
    return isLong(text) ? "<text>" : text;
  }

  /// A word of a command line.
  static String scriptShortened(String word) {
    return isLong(word) ? "<script>" : word;
  }

  private static boolean isLong(String text) {
    return text.indexOf('\n') >= 0 || text.codePointCount(0, text.length()) > LONGEST;
  }

  private LongText() {}
}
