package dev.pitcrew.hardware.pci;

/// Whether a PCI function is a virtual GPU, by a vendor-specific capability in its configuration
/// space (device plugin specification, vGPU detection).
public sealed interface VirtualGpu {

  /// A whole GPU, or one passed through.
  record Absent() implements VirtualGpu {}

  /// A virtual GPU, and the driver of the host that made it.
  record Present(String hostDriverVersion, String hostDriverBranch) implements VirtualGpu {}

  /// The configuration space does not say.
  record Unknown(String reason) implements VirtualGpu {}

  /// Reads a configuration space, however broken.
  static VirtualGpu in(byte[] configurationSpace) {
    if (configurationSpace.length < ConfigurationSpace.STANDARD_SIZE) {
      return new Unknown(
          "only %d bytes of the configuration space can be read"
              .formatted(configurationSpace.length));
    }
    return new ConfigurationSpace(configurationSpace).virtualGpu();
  }
}
