package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// Who sets a part of a host up.
public enum HostOwner {
  /// The agent, or an operand of the operator.
  @JsonProperty("Pitcrew")
  PITCREW,
  /// The provider of the host; it is left alone.
  @JsonProperty("Host")
  HOST
}
