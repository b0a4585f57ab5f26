package dev.pitcrew.hardware.pci;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice.Identity;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// Reads `/sys/bus/pci/devices` below a host root.
public final class PciDevices {
  private static final String FOLDER = "/sys/bus/pci/devices/";

  private static final Pattern ROOT =
      Pattern.compile("/sys/devices/(pci[0-9a-f]{4,8}:[0-9a-f]{2})/");

  private final HostRoot host;

  public PciDevices(HostRoot host) {
    this.host = host;
  }

  /// All functions whose vendor, device and class can be read, by address.
  public List<PciDevice> all() {
    return host.names(FOLDER).stream().flatMap(address -> at(address).stream()).toList();
  }

  /// The function at an address such as `0000:3b:00.0`.
  public Optional<PciDevice> at(String address) {
    if (!PciAddress.isAddress(address)) {
      return Optional.empty();
    }
    var vendor = number(address, "vendor");
    var device = number(address, "device");
    var pciClass = number(address, "class");
    if (vendor.isEmpty() || device.isEmpty() || pciClass.isEmpty()) {
      return Optional.empty();
    }
    var identity =
        new Identity(
            vendor.getAsInt(),
            device.getAsInt(),
            number(address, "subsystem_vendor").orElse(0),
            number(address, "subsystem_device").orElse(0));
    return Optional.of(function(address, identity, pciClass.getAsInt()));
  }

  /// The PCIe root complex to which the function at an address belongs, such as `pci0000:3a`: the
  /// first folder below `/sys/devices` on its way (Documentation/PCI/sysfs-pci.rst of the kernel).
  /// Empty where sysfs shows no such folder.
  public Optional<String> root(String address) {
    if (!PciAddress.isAddress(address)) {
      return Optional.empty();
    }
    try {
      var place = ROOT.matcher(host.hostPath(host.resolve(FOLDER + address)));
      return place.lookingAt() ? Optional.of(place.group(1)) : Optional.empty();
    } catch (IOException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// The configuration space; without privilege the kernel shows only its first 64 bytes.
  public Optional<byte[]> configurationSpace(String address) {
    return PciAddress.isAddress(address)
        ? host.bytes(FOLDER + address + "/config")
        : Optional.empty();
  }

  private PciDevice function(String address, Identity identity, int pciClass) {
    return new PciDevice(
        address,
        identity,
        pciClass,
        numaNode(address),
        number(address, "sriov_totalvfs"),
        host.exists(FOLDER + address + "/physfn"),
        host.linkTargetName(FOLDER + address + "/driver"));
  }

  // The kernel writes -1 where it knows no node.
  private OptionalInt numaNode(String address) {
    var node = number(address, "numa_node");
    return node.isPresent() && node.getAsInt() >= 0 ? node : OptionalInt.empty();
  }

  private OptionalInt number(String address, String file) {
    return host.text(FOLDER + address + "/" + file)
        .map(PciDevices::number)
        .orElseGet(OptionalInt::empty);
  }

  // As sysfs writes numbers: with 0x in hex, without in decimal.
  private static OptionalInt number(String text) {
    try {
      return OptionalInt.of(Integer.decode(text));
    } catch (NumberFormatException _) {
      return OptionalInt.empty();
    }
  }
}
