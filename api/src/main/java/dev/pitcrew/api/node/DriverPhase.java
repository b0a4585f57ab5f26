package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What the driver of a node is doing.
public enum DriverPhase {
  /// No driver is loaded.
  @JsonProperty("Absent")
  ABSENT,
  /// It is being installed or loaded.
  @JsonProperty("Loading")
  LOADING,
  /// It can be used.
  @JsonProperty("Ready")
  READY,
  /// The agent has released it, so that it can be unloaded.
  @JsonProperty("Paused")
  PAUSED,
  /// It is being unloaded.
  @JsonProperty("Unloading")
  UNLOADING,
  /// It could not be loaded.
  @JsonProperty("Failed")
  FAILED
}
