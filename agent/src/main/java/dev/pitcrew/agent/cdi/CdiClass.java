package dev.pitcrew.agent.cdi;

import java.util.Arrays;
import java.util.Optional;

/// Which devices a specification describes.
public enum CdiClass {
  /// GPUs and MIG devices with the driver's files.
  GPU("gpu"),
  /// Channels over which processes on several nodes share memory.
  IMEX_CHANNEL("imex-channel"),
  /// GPUDirect Storage.
  GDS("gds"),
  /// RDMA over Mellanox adapters.
  MOFED("mofed"),
  GDRCOPY("gdrcopy"),
  NVSWITCH("nvswitch"),
  /// All of NVIDIA's device nodes, for those who manage the node.
  MANAGEMENT("gpu");

  private final String text;

  CdiClass(String text) {
    this.text = text;
  }

  /// The class part of the specification's kind.
  public String text() {
    return text;
  }

  /// @param mode as `--mode` says it; GPUs are `nvml` or `auto` there, and channels `imex`
  public static Optional<CdiClass> ofMode(String mode) {
    return switch (mode) {
      case "auto", "nvml" -> Optional.of(GPU);
      case "imex" -> Optional.of(IMEX_CHANNEL);
      case "management" -> Optional.of(MANAGEMENT);
      default ->
          Arrays.stream(values())
              .filter(type -> type != GPU && type != MANAGEMENT && type.text.equals(mode))
              .findFirst();
    };
  }
}
