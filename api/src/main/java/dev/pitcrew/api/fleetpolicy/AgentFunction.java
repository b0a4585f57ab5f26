package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What the agent can provide in place of a reference operand.
public enum AgentFunction {
  /// Discovery, feature labels and GPU labels.
  @JsonProperty("labels")
  LABELS,
  /// Device plugin and time-slicing.
  @JsonProperty("devicePlugin")
  DEVICE_PLUGIN,
  /// MPS control daemons.
  @JsonProperty("mps")
  MPS,
  /// CDI specifications.
  @JsonProperty("cdi")
  CDI,
  /// Set-up of the container runtime.
  @JsonProperty("runtime")
  RUNTIME,
  /// MIG layouts.
  @JsonProperty("mig")
  MIG,
  /// Validation of the node.
  @JsonProperty("validation")
  VALIDATION,
  /// Metrics of the node's validation.
  @JsonProperty("nodeStatus")
  NODE_STATUS,
  /// GPU metrics.
  @JsonProperty("metrics")
  METRICS,
  /// Health levels of GPUs.
  @JsonProperty("health")
  HEALTH,
  /// Freeing a node for a new driver.
  @JsonProperty("driverManager")
  DRIVER_MANAGER,
  /// Dynamic resource allocation.
  @JsonProperty("dra")
  DRA
}
