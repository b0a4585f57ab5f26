package dev.pitcrew.cli.print;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Records as JSON and YAML, for programs: the fields have the names of the records' components.
public final class Documents {
  private static final int LAST_ASCII = 0x7e;

  private Documents() {}

  public static String json(Object value) {
    var text = new StringBuilder();
    json(text, tree(value), "\n");
    return text.append('\n').toString();
  }

  /// The same on one line, for messages between programs.
  public static String line(Object value) {
    var text = new StringBuilder();
    json(text, tree(value), "");
    return text.toString();
  }

  public static String yaml(Object value) {
    var text = new StringBuilder();
    yaml(text, tree(value), "\n");
    return text.append('\n').toString().stripLeading();
  }

  /// Maps, collections, text, numbers and booleans; what is not known is left out.
  private static Object tree(Object value) {
    return switch (value) {
      case Record record -> fields(record);
      case Map<?, ?> map -> {
        var fields = new LinkedHashMap<String, Object>();
        map.forEach((name, field) -> fields.put(name.toString(), tree(field)));
        yield fields;
      }
      case Collection<?> items -> items.stream().map(Documents::tree).toList();
      case Number number -> number;
      case Boolean truth -> truth;
      default -> value.toString();
    };
  }

  private static Map<String, Object> fields(Record record) {
    var fields = new LinkedHashMap<String, Object>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Object value = read(record, component);
      if (value instanceof Optional<?> optional) {
        optional.ifPresent(it -> fields.put(component.getName(), tree(it)));
      } else {
        fields.put(component.getName(), tree(value));
      }
    }
    return fields;
  }

  private static Object read(Record record, RecordComponent component) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException("read " + component, impossible);
    }
  }

  /// @param line the break before the end of the value, with its indent; empty for no breaks
  private static void json(StringBuilder text, Object value, String line) {
    String inner = line.isEmpty() ? "" : line + "  ";
    String gap = "";
    switch (value) {
      case Map<?, ?> map when !map.isEmpty() -> {
        text.append('{');
        for (Map.Entry<?, ?> field : map.entrySet()) {
          text.append(gap).append(inner).append(quoted(field.getKey().toString())).append(": ");
          json(text, field.getValue(), inner);
          gap = ",";
        }
        text.append(line).append('}');
      }
      case Collection<?> items when !items.isEmpty() -> {
        text.append('[');
        for (Object item : items) {
          text.append(gap).append(inner);
          json(text, item, inner);
          gap = ",";
        }
        text.append(line).append(']');
      }
      default -> text.append(scalar(value));
    }
  }

  private static void yaml(StringBuilder text, Object value, String line) {
    switch (value) {
      case Map<?, ?> map when !map.isEmpty() ->
          map.forEach((name, field) -> {
            text.append(line).append(key(name.toString())).append(':');
            yaml(text, field, line + "  ");
          });
      case Collection<?> items when !items.isEmpty() ->
          items.forEach(item -> {
            text.append(line).append('-');
            yaml(text, item, line + "  ");
          });
      default -> text.append(' ').append(scalar(value));
    }
  }

  /// A key that YAML could read as something else is quoted.
  private static String key(String name) {
    return name.matches("[A-Za-z][A-Za-z0-9_./-]*")
            && !name.matches("(?i)true|false|yes|no|on|off|null|y|n")
        ? name
        : quoted(name);
  }

  private static String scalar(Object value) {
    return switch (value) {
      case Map<?, ?> _ -> "{}";
      case Collection<?> _ -> "[]";
      case String text -> quoted(text);
      default -> value.toString();
    };
  }

  /// In ASCII, so that no control character reaches a terminal and every reader understands it.
  private static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    for (int at = 0; at < text.length(); at++) {
      char character = text.charAt(at);
      switch (character) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        default -> {
          if (character < ' ' || character > LAST_ASCII) {
            quoted.append(String.format("\\u%04x", (int) character));
          } else {
            quoted.append(character);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }
}
