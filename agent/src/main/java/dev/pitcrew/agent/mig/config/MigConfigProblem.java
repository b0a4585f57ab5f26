package dev.pitcrew.agent.mig.config;

/// Why a configuration file cannot be used, and where it says so.
///
/// @param line counted from 1
/// @param column counted from 1
/// @param key the path to it, such as `mig-configs.all-balanced[0].devices`; empty for the whole
/// @param message in the words of NVIDIA's mig-parted, where it has a message
public record MigConfigProblem(Fault fault, int line, int column, String key, String message) {

  /// What can be wrong; each is one error of NVIDIA's mig-parted.
  public enum Fault {
    NO_YAML,
    WRONG_TYPE,
    MISSING_VERSION,
    UNKNOWN_VERSION,
    UNEXPECTED_FIELD,
    NO_LAYOUT,
    NO_ENTRY,
    MISSING_FIELD,
    INVALID_DEVICES,
    INVALID_PROFILE,
    NEGATIVE_COUNT,
    NOTHING_COUNTED,
    MISSING_MIG_DEVICES,
    NEEDLESS_MIG_DEVICES
  }

  /// One line for a person.
  ///
  /// @param file its name, as it was given
  public String text(String file) {
    String where = "%s:%d:%d: ".formatted(file, line, column);
    return key.isEmpty() ? where + message : where + key + ": " + message;
  }
}
