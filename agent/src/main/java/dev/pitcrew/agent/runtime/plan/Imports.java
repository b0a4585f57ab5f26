package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What a file of containerd imports.
public final class Imports {
  private Imports() {}

  /// Absolute patterns; none of a file that is no TOML.
  public static List<String> of(ConfigFile file) {
    return TomlFile.read(file) instanceof TomlFile.Read.Parsed(var parsed) ? of(parsed) : List.of();
  }

  static List<String> of(TomlFile file) {
    String folder = file.path().substring(0, file.path().lastIndexOf('/') + 1);
    return file.content().texts(ImportLine.KEY).stream()
        .map(path -> path.startsWith("/") ? path : folder + path)
        .toList();
  }

  /// As Go's `filepath.Match`, without its sets of characters.
  public static boolean matches(String pattern, String path) {
    String expression =
        pattern
            .chars()
            .mapToObj(character ->
                switch (character) {
                  case '*' -> "[^/]*";
                  case '?' -> "[^/]";
                  default -> Pattern.quote(String.valueOf((char) character));
                })
            .collect(Collectors.joining());
    return path.matches(expression);
  }
}
