package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;

/// Who installs the driver of a node.
public enum DriverOwner {
  /// A driver container of the operator.
  @JsonProperty("Container")
  CONTAINER,
  /// The host's administrator.
  @JsonProperty("Host")
  HOST,
  /// The creator of the node's image.
  @JsonProperty("Image")
  IMAGE
}
