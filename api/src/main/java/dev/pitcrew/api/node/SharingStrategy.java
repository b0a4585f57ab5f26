package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How several pods share one GPU.
public enum SharingStrategy {
  /// They do not.
  @JsonProperty("None")
  NONE,
  /// One after the other.
  @JsonProperty("TimeSlicing")
  TIME_SLICING,
  /// At once, through MPS.
  @JsonProperty("MPS")
  MPS
}
