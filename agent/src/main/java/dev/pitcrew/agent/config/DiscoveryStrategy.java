package dev.pitcrew.agent.config;

/// How GPUs are found.
public enum DiscoveryStrategy {
  AUTO("auto"),
  NVML("nvml"),
  TEGRA("tegra"),
  VFIO("vfio");

  private final String value;

  DiscoveryStrategy(String value) {
    this.value = value;
  }

  /// As configuration says it.
  public String value() {
    return value;
  }
}
