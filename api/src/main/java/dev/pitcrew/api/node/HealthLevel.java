package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How well a GPU is, from best to worst.
public enum HealthLevel {
  /// Nothing speaks against it.
  @JsonProperty("Healthy")
  HEALTHY,
  /// Works, but not as it should.
  @JsonProperty("Degraded")
  DEGRADED,
  /// A reset of the GPU would fix it.
  @JsonProperty("NeedsReset")
  NEEDS_RESET,
  /// A reboot of the node would fix it.
  @JsonProperty("NeedsReboot")
  NEEDS_REBOOT,
  /// Nothing would.
  @JsonProperty("Replace")
  REPLACE
}
