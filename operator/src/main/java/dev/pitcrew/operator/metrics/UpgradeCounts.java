package dev.pitcrew.operator.metrics;

/// Nodes by where their driver upgrade stands.
///
/// @param available how many more nodes may start now
public record UpgradeCounts(int inProgress, int done, int failed, int available, int pending) {
  /// No upgrades, as when automatic upgrades are off.
  public static final UpgradeCounts NONE = new UpgradeCounts(0, 0, 0, 0, 0);
}
