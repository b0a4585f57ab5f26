package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What came of a check.
public enum ValidationState {
  /// The part works.
  @JsonProperty("Passed")
  PASSED,
  /// It does not.
  @JsonProperty("Failed")
  FAILED,
  /// Another part must work first.
  @JsonProperty("Waiting")
  WAITING,
  /// It cannot be determined at the moment; the previous result still holds.
  @JsonProperty("Unknown")
  UNKNOWN,
  /// It is not wanted on this node.
  @JsonProperty("Off")
  OFF
}
