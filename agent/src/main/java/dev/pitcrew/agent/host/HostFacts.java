package dev.pitcrew.agent.host;

import dev.pitcrew.agent.labels.plan.FeatureFacts;
import dev.pitcrew.agent.labels.plan.MachineFacts;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice;
import dev.pitcrew.hardware.pci.PciDevices;
import dev.pitcrew.hardware.pci.VirtualGpu;
import java.util.List;
import java.util.Optional;

/// Reads the facts of the machine for labels.
public final class HostFacts {
  private HostFacts() {}

  /// @param machineTypeFile an empty text where the machine is not to be named
  public static MachineFacts machine(HostRoot host, String machineTypeFile) {
    var functions = new PciDevices(host);
    List<VirtualGpu> virtualGpus =
        functions.all().stream()
            .filter(PciDevice::isNvidia)
            .map(device -> functions.configurationSpace(device.address()))
            .map(bytes -> VirtualGpu.in(bytes.orElse(new byte[0])))
            .toList();
    Optional<String> machineType =
        machineTypeFile.isEmpty() ? Optional.empty() : host.text(machineTypeFile);
    return new MachineFacts(machineType, virtualGpus);
  }

  public static FeatureFacts features(HostRoot host) {
    return new FeatureFacts(
        new PciDevices(host).all(),
        text(host, "/proc/sys/kernel/osrelease"),
        new FeatureFacts.Files(
            text(host, "/etc/os-release"),
            text(host, "/proc/cpuinfo"),
            text(host, "/proc/modules"),
            text(host, "/proc/device-tree/compatible")));
  }

  /// The kernel's ID of the current boot (`/proc/sys/kernel/random/boot_id`); an empty text where
  /// it reports none.
  public static String bootId(HostRoot host) {
    return text(host, "/proc/sys/kernel/random/boot_id");
  }

  private static String text(HostRoot host, String path) {
    return host.text(path).orElse("");
  }
}
