package dev.pitcrew.operator.upgrade;

import java.util.Optional;

/// Why a node failed, as it is kept on the node.
///
/// @param target digest of the driver that the node was to have; empty where none is known
/// @param message what happened, for people
public record UpgradeFailure(Stage stage, String target, String message) {

  /// How far the node had come, and with it what the failure says of the driver.
  public enum Stage {
    /// Its pods would not go: the former driver is in place and untouched.
    WORKLOAD,
    /// The new driver did not start, or did not validate.
    DRIVER
  }

  /// One line, for an annotation.
  public String text() {
    return "%s %s %s".formatted(stage, target.isEmpty() ? "-" : target, message);
  }

  /// Reads that line; empty for any other.
  public static Optional<UpgradeFailure> of(String text) {
    String[] parts = text.split(" ", 3);
    if (parts.length < 3) {
      return Optional.empty();
    }
    for (Stage stage : Stage.values()) {
      if (stage.name().equals(parts[0])) {
        return Optional.of(
            new UpgradeFailure(stage, parts[1].equals("-") ? "" : parts[1], parts[2]));
      }
    }
    return Optional.empty();
  }
}
