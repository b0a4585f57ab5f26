package dev.pitcrew.operator.node;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// What the GPUs of a node are for, as the label `nvidia.com/gpu.workload.config` and
/// `sandboxWorkloads.defaultWorkload` spell it.
public enum WorkloadConfig {
  CONTAINER("container"),
  VM_PASSTHROUGH("vm-passthrough"),
  VM_VGPU("vm-vgpu");

  private final String value;

  WorkloadConfig(String value) {
    this.value = value;
  }

  /// The spelling in labels and in the ClusterPolicy.
  public String value() {
    return value;
  }

  /// Empty when the text is none of the known spellings.
  public static Optional<WorkloadConfig> parse(String text) {
    return Arrays.stream(values()).filter(config -> config.value.equals(text)).findFirst();
  }

  /// All spellings, for messages.
  static String spellings() {
    return Arrays.stream(values()).map(WorkloadConfig::value).collect(Collectors.joining(", "));
  }
}
