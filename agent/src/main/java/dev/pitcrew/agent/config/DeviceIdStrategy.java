package dev.pitcrew.agent.config;

/// What a device is called towards the container runtime.
public enum DeviceIdStrategy {
  UUID("uuid"),
  INDEX("index");

  private final String value;

  DeviceIdStrategy(String value) {
    this.value = value;
  }

  /// As configuration says it.
  public String value() {
    return value;
  }
}
