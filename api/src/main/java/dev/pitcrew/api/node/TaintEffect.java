package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What a taint does to pods that do not tolerate it.
public enum TaintEffect {
  /// Others nodes are better.
  @JsonProperty("PreferNoSchedule")
  PREFER_NO_SCHEDULE("PreferNoSchedule"),
  /// None comes.
  @JsonProperty("NoSchedule")
  NO_SCHEDULE("NoSchedule"),
  /// None comes, and those that are there are evicted.
  @JsonProperty("NoExecute")
  NO_EXECUTE("NoExecute");

  private final String value;

  TaintEffect(String value) {
    this.value = value;
  }

  /// As a Node has it.
  public String value() {
    return value;
  }
}
