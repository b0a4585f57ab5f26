package dev.pitcrew.agent.plugin;

/// How a container learns which devices it got (`deviceListStrategy`).
public enum ListStrategy {
  ENVVAR("envvar"),
  VOLUME_MOUNTS("volume-mounts"),
  CDI_ANNOTATIONS("cdi-annotations"),
  CDI_CRI("cdi-cri");

  private final String value;

  ListStrategy(String value) {
    this.value = value;
  }

  /// As the configuration says it.
  public String value() {
    return value;
  }

  public boolean isCdi() {
    return this == CDI_ANNOTATIONS || this == CDI_CRI;
  }
}
