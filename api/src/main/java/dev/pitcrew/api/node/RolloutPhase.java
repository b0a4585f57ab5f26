package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// The step of a node on its way to a new driver.
public enum RolloutPhase {
  /// Nothing to do.
  @JsonProperty("Idle")
  IDLE,
  /// Wants the new driver and has no slot yet.
  @JsonProperty("Pending")
  PENDING,
  /// Is being cordoned.
  @JsonProperty("Cordon")
  CORDON,
  /// Waits for pods to end.
  @JsonProperty("WaitForJobs")
  WAIT_FOR_JOBS,
  /// Pods that use a GPU are being deleted.
  @JsonProperty("DeletePods")
  DELETE_PODS,
  /// Is being drained.
  @JsonProperty("Drain")
  DRAIN,
  /// The driver pod is being replaced.
  @JsonProperty("RestartDriver")
  RESTART_DRIVER,
  /// The new driver is being validated.
  @JsonProperty("Validate")
  VALIDATE,
  /// Is being uncordoned.
  @JsonProperty("Uncordon")
  UNCORDON,
  /// Has the new driver.
  @JsonProperty("Done")
  DONE,
  /// A step failed or ran out of time.
  @JsonProperty("Failed")
  FAILED
}
