package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;

/// What the kernel and the host's files say, as they say it; what cannot be read is an empty text.
///
/// @param pciFunctions all of the node
/// @param kernel `/proc/sys/kernel/osrelease`
/// @param files texts of the files that are read as a whole
public record FeatureFacts(List<PciDevice> pciFunctions, String kernel, Files files) {
  public FeatureFacts {
    pciFunctions = List.copyOf(pciFunctions);
  }

  /// @param osRelease `/etc/os-release` of the host
  /// @param cpuinfo `/proc/cpuinfo`
  /// @param modules `/proc/modules`
  /// @param deviceTree `/proc/device-tree/compatible`
  public record Files(String osRelease, String cpuinfo, String modules, String deviceTree) {}
}
