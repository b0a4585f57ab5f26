package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// Whether a container runtime asks plugins about each container.
public enum NriPhase {
  /// It asks the agent.
  @JsonProperty("On")
  ON,
  /// It has a socket for plugins and does not let the agent in.
  @JsonProperty("Closed")
  CLOSED,
  /// It has no socket for plugins.
  @JsonProperty("Absent")
  ABSENT
}
