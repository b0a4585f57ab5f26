package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How far an operand is.
public enum OperandState {
  /// Ready on every node that should run it.
  @JsonProperty("ready")
  READY,
  /// Not yet.
  @JsonProperty("notReady")
  NOT_READY,
  /// Not wanted.
  @JsonProperty("disabled")
  DISABLED
}
