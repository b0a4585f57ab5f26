package dev.pitcrew.core.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A message with its key/values taken apart again.
///
/// SLF4J's binding to java.util.logging hands fluent key/values over as text in front of the
/// message (`node=a count=3 labelled`). They are read back up to the first word that is no
/// `key=value`, so a value with spaces has to be put in double quotes by the caller.
///
/// @param fields in the order in which they were added
record LogEvent(String message, Map<String, String> fields) {
  private static final Pattern FIELD =
      Pattern.compile("\\G([A-Za-z][\\w.-]*)=(\"[^\"]*\"|[^\\s\"]*) ");

  static LogEvent of(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    Matcher field = FIELD.matcher(text);
    int end = 0;
    while (field.find()) {
      fields.put(field.group(1), unquoted(field.group(2)));
      end = field.end();
    }
    return new LogEvent(text.substring(end), fields);
  }

  private static String unquoted(String value) {
    return value.startsWith("\"") ? value.substring(1, value.length() - 1) : value;
  }
}
