package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How far the roll-out of a driver is.
public enum FleetRolloutPhase {
  /// No node is upgraded automatically.
  @JsonProperty("Idle")
  IDLE,
  /// The canary is under way, or still has to stay well.
  @JsonProperty("Canary")
  CANARY,
  /// The nodes after the canary get the driver, wave by wave.
  @JsonProperty("Wave")
  WAVE,
  /// Nodes wait, and none begins as the FleetPolicy says so.
  @JsonProperty("Paused")
  PAUSED,
  /// Nodes wait, and none begins since nodes have failed.
  @JsonProperty("Halted")
  HALTED,
  /// A driver that is still asked for was rolled back.
  @JsonProperty("RolledBack")
  ROLLED_BACK,
  /// No node is under way or waits, and some have failed.
  @JsonProperty("Failed")
  FAILED,
  /// All nodes have the driver that is wanted.
  @JsonProperty("Done")
  DONE
}
