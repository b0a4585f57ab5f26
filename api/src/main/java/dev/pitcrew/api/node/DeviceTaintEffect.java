package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What the taint of a device in a ResourceSlice does to claims that do not tolerate it.
public enum DeviceTaintEffect {
  /// It informs.
  @JsonProperty("None")
  NONE,
  /// No further claim is allocated the device.
  @JsonProperty("NoSchedule")
  NO_SCHEDULE,
  /// No further claim is allocated the device, and the pods that use it are evicted.
  @JsonProperty("NoExecute")
  NO_EXECUTE
}
