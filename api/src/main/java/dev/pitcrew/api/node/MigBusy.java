package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What to do when pods use a GPU whose MIG layout should change.
public enum MigBusy {
  /// Wait until they end.
  @JsonProperty("Wait")
  WAIT,
  /// Evict them.
  @JsonProperty("Evict")
  EVICT,
  /// Leave the layout as it is and say so.
  @JsonProperty("Refuse")
  REFUSE
}
