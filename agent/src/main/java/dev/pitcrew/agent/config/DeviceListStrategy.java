package dev.pitcrew.agent.config;

/// How the container runtime learns which devices a container gets.
public enum DeviceListStrategy {
  ENVVAR("envvar"),
  VOLUME_MOUNTS("volume-mounts"),
  CDI_ANNOTATIONS("cdi-annotations"),
  CDI_CRI("cdi-cri");

  private final String value;

  DeviceListStrategy(String value) {
    this.value = value;
  }

  /// As configuration says it.
  public String value() {
    return value;
  }

  /// Whether a container gets its devices by CDI names.
  public boolean isCdi() {
    return this == CDI_ANNOTATIONS || this == CDI_CRI;
  }
}
