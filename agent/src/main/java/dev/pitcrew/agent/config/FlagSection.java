package dev.pitcrew.agent.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The part of the configuration file that says what flags say: `flags` and `imex`. Keys match
/// whatever their case.
final class FlagSection {
  private final Findings findings;
  private final Map<String, Setting<?>> settings;
  private final Map<String, List<String>> values = new LinkedHashMap<>();

  private FlagSection(Findings findings) {
    this.findings = findings;
    this.settings =
        Setting.all()
            .filter(setting -> !setting.flag().fileKey().isEmpty())
            .collect(Collectors.toMap(setting -> fold(setting.flag().fileKey()), s -> s));
  }

  /// The values below `root`'s entry `key`, by their path as the table of flags writes it.
  static Map<String, List<String>> read(String key, Object value, Findings findings) {
    var section = new FlagSection(findings);
    section.walk(key, value);
    return section.values;
  }

  private void walk(String path, Object value) {
    ConfigTree.of(path, value, findings)
        .ifPresent(tree -> tree.entries().forEach((key, entry) -> visit(tree.pathOf(key), entry)));
  }

  private void visit(String path, Object value) {
    Setting<?> setting = settings.get(fold(path));
    if (setting != null) {
      take(setting, path, value);
    } else if (isParent(path)) {
      walk(path, value);
    } else {
      findings.warn(path + " is no known key and has no effect");
    }
  }

  private boolean isParent(String path) {
    String prefix = fold(path) + ".";
    return settings.keySet().stream().anyMatch(key -> key.startsWith(prefix));
  }

  private void take(Setting<?> setting, String path, Object value) {
    texts(setting.kind().shape(), value)
        .ifPresentOrElse(
            texts -> values.put(setting.flag().fileKey(), texts),
            () -> findings.problem(path, String.valueOf(value), "give " + setting.kind().valid()));
  }

  /// The value as it would be written on a command line; empty where its type is another. A list
  /// may be a single text, which is one element whatever it contains.
  private static Optional<List<String>> texts(Shape shape, Object value) {
    return switch (shape) {
      case TEXT -> scalar(value).map(List::of);
      case BOOL -> value instanceof Boolean truth ? one(truth.toString()) : Optional.empty();
      case NUMBER -> value instanceof Number number ? one(number.toString()) : Optional.empty();
      case DURATION -> duration(value);
      case TEXT_LIST -> value instanceof String text ? one(text) : elements(value, String.class);
      case NUMBER_LIST -> elements(value, Integer.class);
    };
  }

  /// A bare number counts nanoseconds.
  private static Optional<List<String>> duration(Object value) {
    return switch (value) {
      case String text -> one(text);
      case Number number -> one(number.longValue() + "ns");
      default -> Optional.empty();
    };
  }

  private static Optional<List<String>> elements(Object value, Class<?> type) {
    return value instanceof List<?> list && list.stream().allMatch(type::isInstance)
        ? Optional.of(list.stream().map(String::valueOf).toList())
        : Optional.empty();
  }

  private static Optional<String> scalar(Object value) {
    return value instanceof Map || value instanceof List
        ? Optional.empty()
        : Optional.of(String.valueOf(value));
  }

  private static Optional<List<String>> one(String text) {
    return Optional.of(List.of(text));
  }

  private static String fold(String key) {
    return key.toLowerCase(Locale.ROOT);
  }
}
