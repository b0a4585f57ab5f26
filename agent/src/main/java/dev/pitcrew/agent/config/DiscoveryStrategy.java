package dev.pitcrew.agent.config;

/// How GPUs are found. NVIDIA's device plugin also supports `tegra` and `vfio`.
public enum DiscoveryStrategy {
  AUTO("auto"),
  NVML("nvml");

  private final String value;

  DiscoveryStrategy(String value) {
    this.value = value;
  }

  /// As configuration says it.
  public String value() {
    return value;
  }
}
