package dev.pitcrew.cli.print;

/// Text from the cluster as a terminal may have it: names and messages are chosen by users, and a
/// control character among them could change what the terminal shows or does.
final class Printable {
  private Printable() {}

  /// Line breaks and tabs become spaces; every other character that is not to be seen, or that
  /// changes the direction of the text, becomes its code, such as `\u001b`.
  static String of(String text) {
    if (text.chars().allMatch(it -> it >= ' ' && it < 0x7f)) {
      return text;
    }
    var printable = new StringBuilder(text.length());
    text.codePoints().forEach(it -> append(printable, it));
    return printable.toString();
  }

  private static void append(StringBuilder printable, int character) {
    if (character == '\n' || character == '\r' || character == '\t') {
      printable.append(' ');
    } else if (isSeen(character)) {
      printable.appendCodePoint(character);
    } else {
      printable.append("\\u").append(String.format("%04x", character));
    }
  }

  private static boolean isSeen(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
