package dev.pitcrew.agent.labels.plan;

/// Who labels the features of nodes.
public enum DiscoveryMode {
  /// This program, whatever else is installed.
  NATIVE,
  /// NFD; this program writes none of its labels.
  NFD,
  /// NFD what it labels, this program the rest.
  AUTO
}
