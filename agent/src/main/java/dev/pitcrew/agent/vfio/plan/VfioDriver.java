package dev.pitcrew.agent.vfio.plan;

import java.util.Comparator;
import java.util.Optional;

/// The kernel's choice of a driver for virtual machines: some devices have one that knows more of
/// them than `vfio-pci` does ([the kernel's
/// page](https://docs.kernel.org/driver-api/vfio-pci-device-specific-driver-acceptance.html)).
public final class VfioDriver {
  static final String GENERAL = "vfio-pci";
  private static final String DEVICE = "pci:";
  private static final String KIND = "vfio_pci:";

  private record Offer(DeviceAlias devices, String driver) {}

  private VfioDriver() {}

  /// The driver whose pattern is the closest; of several the first.
  ///
  /// @param modalias of the device
  /// @param modulesAlias the file of the kernel that runs, with lines `alias PATTERN DRIVER`
  public static String of(String modalias, String modulesAlias) {
    Optional<DeviceAlias> device = DeviceAlias.parse(DEVICE, modalias);
    return modulesAlias
        .lines()
        .flatMap(line -> offer(line).stream())
        .filter(offer -> device.filter(offer.devices()::covers).isPresent())
        .min(Comparator.comparingLong(offer -> offer.devices().wildcards()))
        .map(Offer::driver)
        .orElse(GENERAL);
  }

  /// Whether a kernel driver is one of those for virtual machines: the general one, or one that
  /// knows more of its devices, such as `nvgrace_gpu_vfio_pci`.
  public static boolean isForMachines(String driver) {
    return driver.replace('_', '-').endsWith(GENERAL);
  }

  private static Optional<Offer> offer(String line) {
    String[] words = line.strip().split("\\s+", -1);
    return words.length == 3 && words[0].equals("alias")
        ? DeviceAlias.parse(KIND, words[1]).map(devices -> new Offer(devices, words[2]))
        : Optional.empty();
  }
}
