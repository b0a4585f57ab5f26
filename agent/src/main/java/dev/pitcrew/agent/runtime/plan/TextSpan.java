package dev.pitcrew.agent.runtime.plan;

import java.util.ArrayList;
import java.util.List;

/// Where the elements of an array stand in a TOML text that is known to be right.
///
/// @param open the offset behind its opening bracket
/// @param close the offset of its closing bracket
/// @param elements those of its strings
record TextSpan(int open, int close, List<Element> elements) {
  TextSpan {
    elements = List.copyOf(elements);
  }

  /// @param value what stands between the quotes
  record Element(int start, int end, String value) {}

  /// @param key the offset at which the array's key begins
  static TextSpan ofArray(String text, int key) {
    int open = text.indexOf('[', text.indexOf('=', key)) + 1;
    var elements = new ArrayList<Element>();
    int at = open;
    while (at < text.length() && text.charAt(at) != ']') {
      char now = text.charAt(at);
      if (now == '#') {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (now == '"' || now == '\'') {
        int end = endOfString(text, at);
        elements.add(new Element(at, end, text.substring(at + 1, end - 1)));
        at = end;
      } else {
        at++;
      }
    }
    return new TextSpan(open, at, elements);
  }

  /// The offset behind the closing quote. No path is written over several lines.
  private static int endOfString(String text, int start) {
    char quote = text.charAt(start);
    int at = start + 1;
    while (at < text.length() && text.charAt(at) != quote) {
      at += quote == '"' && text.charAt(at) == '\\' ? 2 : 1;
    }
    return at + 1;
  }
}
