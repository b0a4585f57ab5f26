package dev.pitcrew.agent.runtime.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// A TOML file as maps and lists.
record TomlFile(String path, String text, TomlParseResult parsed, TomlMap content) {

  /// A file, or why it is none.
  sealed interface Read {
    record Parsed(TomlFile file) implements Read {}

    record Broken(RuntimeProblem problem) implements Read {}
  }

  static Read read(ConfigFile file) {
    TomlParseResult parsed = Toml.parse(file.text());
    if (parsed.hasErrors()) {
      TomlParseError first = parsed.errors().getFirst();
      return new Read.Broken(
          new RuntimeProblem(
              file.path(),
              "",
              text(first.position()),
              "",
              // Without the parser's words, which may quote a password.
              "this is no TOML from here on: correct it; till then nothing is changed"));
    }
    return new Read.Parsed(
        new TomlFile(file.path(), file.text(), parsed, new TomlMap(plain(parsed))));
  }

  private static Map<String, Object> plain(TomlTable table) {
    var plain = new LinkedHashMap<String, Object>();
    table.entrySet().forEach(entry -> plain.put(entry.getKey(), plain(entry.getValue())));
    return plain;
  }

  private static Object plain(Object value) {
    return switch (value) {
      case TomlTable table -> plain(table);
      case TomlArray array -> array.toList().stream().map(TomlFile::plain).toList();
      default -> value;
    };
  }

  /// All files, or the first problem.
  static ReadAll readAll(List<ConfigFile> files) {
    var all = new ArrayList<TomlFile>();
    for (ConfigFile file : files) {
      switch (read(file)) {
        case Read.Parsed(var parsed) -> all.add(parsed);
        case Read.Broken(var problem) -> {
          return new ReadAll(List.of(), Optional.of(problem));
        }
      }
    }
    return new ReadAll(List.copyOf(all), Optional.empty());
  }

  record ReadAll(List<TomlFile> files, Optional<RuntimeProblem> problem) {}

  /// `line:column` of a key; an empty text where it is not there.
  String position(String... key) {
    TomlPosition position = parsed.inputPositionOf(List.of(key));
    return position == null ? "" : text(position);
  }

  RuntimeProblem problem(String key, Object value, String remedy) {
    return new RuntimeProblem(path, key, position(key), String.valueOf(value), remedy);
  }

  private static String text(TomlPosition position) {
    return position.line() + ":" + position.column();
  }

  /// What is a table of TOML, with its keys in order.
  record TomlMap(Map<String, Object> entries) {
    static final TomlMap EMPTY = new TomlMap(Map.of());

    @SuppressWarnings("unchecked") // tables have texts for keys
    static TomlMap of(Object value) {
      return value instanceof Map<?, ?> map ? new TomlMap((Map<String, Object>) map) : EMPTY;
    }

    Optional<Object> value(String key) {
      return Optional.ofNullable(entries.get(key));
    }

    TomlMap table(String... path) {
      TomlMap at = this;
      for (String key : path) {
        at = at.value(key).map(TomlMap::of).orElse(EMPTY);
      }
      return at;
    }

    Optional<String> text(String key) {
      return value(key).filter(String.class::isInstance).map(String.class::cast);
    }

    Optional<Boolean> flag(String key) {
      return value(key).filter(Boolean.class::isInstance).map(Boolean.class::cast);
    }

    List<String> texts(String key) {
      return value(key).filter(List.class::isInstance).map(List.class::cast).stream()
          .flatMap(list -> ((List<?>) list).stream())
          .filter(String.class::isInstance)
          .map(String.class::cast)
          .toList();
    }

    boolean isEmpty() {
      return entries.isEmpty();
    }
  }
}
