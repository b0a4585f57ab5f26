package dev.pitcrew.core.log;

import java.util.regex.Pattern;

/// Writes one flat JSON object on one line.
final class JsonObject {
  private static final Pattern LITERAL =
      Pattern.compile("-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,17})?|true|false");

  private final StringBuilder text = new StringBuilder(256).append('{');

  JsonObject string(String key, String value) {
    name(key);
    quote(value);
    return this;
  }

  /// A value that is written without quotes because it is known to be a number.
  JsonObject number(String key, String value) {
    name(key);
    text.append(value);
    return this;
  }

  /// A number or a boolean where the value looks like one, a string otherwise.
  JsonObject value(String key, String value) {
    return LITERAL.matcher(value).matches() ? number(key, value) : string(key, value);
  }

  String end() {
    return text.append('}').toString();
  }

  private void name(String key) {
    if (text.length() > 1) {
      text.append(',');
    }
    quote(key);
    text.append(':');
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      escape(value.charAt(i));
    }
    text.append('"');
  }

  private void escape(char character) {
    switch (character) {
      case '"' -> text.append("\\\"");
      case '\\' -> text.append("\\\\");
      case '\n' -> text.append("\\n");
      case '\r' -> text.append("\\r");
      case '\t' -> text.append("\\t");
      default -> {
        // Lone surrogates would make the line invalid UTF-8.
        if (character < 0x20 || Character.isSurrogate(character)) {
          text.append("\\u%04x".formatted((int) character));
        } else {
          text.append(character);
        }
      }
    }
  }
}
