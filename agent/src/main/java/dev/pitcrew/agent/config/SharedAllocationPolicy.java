package dev.pitcrew.agent.config;

/// Which replicas of shared GPUs are preferred for one container.
public enum SharedAllocationPolicy {
  DISTRIBUTED("distributed"),
  PACKED("packed");

  private final String value;

  SharedAllocationPolicy(String value) {
    this.value = value;
  }

  /// As configuration says it.
  public String value() {
    return value;
  }
}
