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
    /// The former driver would not go, so that the new one was never loaded.
    NODE,
    /// The new driver did not start, or did not validate.
    DRIVER
  }

  /// Whether this says something of the driver that is wanted. Where either is not known, since
  /// there was or is no driver pod, it does.
  ///
  /// @param wanted digest of that driver
  boolean accuses(Optional<String> wanted) {
    return stage == Stage.DRIVER
        && (target.isEmpty() || wanted.filter(it -> !it.equals(target)).isEmpty());
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
