package dev.pitcrew.agent.plugin;

/// By what a container's devices are called (`deviceIDStrategy`).
public enum IdStrategy {
  UUID("uuid"),
  INDEX("index");

  private final String value;

  IdStrategy(String value) {
    this.value = value;
  }

  /// As the configuration says it.
  public String value() {
    return value;
  }
}
