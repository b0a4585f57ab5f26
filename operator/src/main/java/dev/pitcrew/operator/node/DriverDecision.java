package dev.pitcrew.operator.node;

/// Who brings the driver of a node.
public sealed interface DriverDecision {
  /// A driver container, or none where none is wanted.
  record Install() implements DriverDecision {}

  /// The host has one, which is used as it is.
  record Adopt() implements DriverDecision {}

  /// The host has one that is not the wanted one. The node runs on it all the same: a second driver
  /// beside it would take both away.
  ///
  /// @param reason in CamelCase
  /// @param message for people, with the remedy
  /// @param wantedBy the resource that wants another
  record Refuse(String reason, String message, String wantedBy) implements DriverDecision {}

  /// Nothing is known now that counts against what was decided before.
  record Undecided() implements DriverDecision {}
}
