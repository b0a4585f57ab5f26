package dev.pitcrew.agent.config;

/// Why a configuration cannot be used.
///
/// @param key where it was said: a flag, a variable, or a path in the file
/// @param value what was said; an empty text where something is missing
/// @param remedy what to write instead
public record ConfigProblem(String key, String value, String remedy) {
  /// The key where no single one is to blame.
  public static final String WHOLE_FILE = "the configuration file";

  /// One line for a person.
  public String message() {
    return value.isEmpty()
        ? "%s: %s".formatted(key, remedy)
        : "%s is '%s': %s".formatted(key, value, remedy);
  }
}
