package dev.pitcrew.hardware.pci;

import dev.pitcrew.device.dra.PassthroughGpu;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// Reads the GPUs of a node that virtual machines can be given, from sysfs.
///
/// @param host whose `/sys` and `/dev` are read
/// @param names of NVIDIA's devices, by their number
public record PassthroughGpus(HostRoot host, Map<Integer, String> names) {
  private static final String FOLDER = "/sys/bus/pci/devices/";
  private static final String GROUPS = "/sys/kernel/iommu_groups";
  private static final String VENDOR_LINE = "10de ";

  /// Where distributions keep the list of the PCI ID project.
  private static final List<String> NAME_FILES =
      List.of("/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids");

  /// IORESOURCE_MEM of the kernel (include/linux/ioport.h).
  private static final long MEMORY = 0x200;

  private static final int REGIONS = 6;
  private static final int HEX = 16;
  private static final int DEVICE_DIGITS = 4;

  public PassthroughGpus {
    names = Map.copyOf(names);
  }

  /// With the names that the host knows; without a list of them there are none.
  public static PassthroughGpus of(HostRoot host) {
    return new PassthroughGpus(
        host,
        NAME_FILES.stream()
            .map(file -> names(host, file))
            .reduce(Map.of(), PassthroughGpus::first));
  }

  private static Map<Integer, String> first(Map<Integer, String> one, Map<Integer, String> other) {
    return one.isEmpty() ? other : one;
  }

  /// Lines `VENDOR NAME`, each with lines `<tab>DEVICE NAME` after it (pci.ids, "Syntax").
  private static Map<Integer, String> names(HostRoot host, String file) {
    var names = new HashMap<Integer, String>();
    try (Stream<String> lines = Files.lines(host.resolve(file), StandardCharsets.ISO_8859_1)) {
      lines
          .dropWhile(line -> !line.startsWith(VENDOR_LINE))
          .skip(1)
          .takeWhile(line -> line.startsWith("\t") || line.startsWith("#"))
          .filter(line -> line.matches("\t[0-9a-f]{4}  .+"))
          .forEach(line ->
              names.put(
                  Integer.parseInt(line.substring(1, 1 + DEVICE_DIGITS), HEX),
                  line.substring(1 + DEVICE_DIGITS).strip()));
      return names;
    } catch (IOException | RuntimeException _) {
      return Map.of();
    }
  }

  /// Whether the kernel isolates devices from each other: without it no virtual machine can be
  /// given one (Documentation/driver-api/vfio.rst).
  public boolean hasIommu() {
    return !host.names(GROUPS).isEmpty();
  }

  /// All GPUs, in the order of their addresses. What SR-IOV makes of one is none.
  public List<PassthroughGpu> all() {
    var gpus = new ArrayList<PassthroughGpu>();
    var devices = new PciDevices(host);
    for (PciDevice device : devices.all()) {
      if (device.isNvidia() && device.isDisplayController() && !device.isVirtualFunction()) {
        gpus.add(read(gpus.size(), device, devices.root(device.address())));
      }
    }
    return gpus;
  }

  private PassthroughGpu read(int index, PciDevice device, Optional<String> root) {
    String folder = FOLDER + device.address();
    return new PassthroughGpu(
        index,
        device.address(),
        "0x%04x".formatted(device.identity().vendor()),
        "0x%04x".formatted(device.identity().device()),
        Optional.ofNullable(names.get(device.identity().device())),
        device.numaNode(),
        root,
        host.text(folder + "/resource").map(PassthroughGpus::memoryBytes).orElse(0L),
        group(host.linkTargetName(folder + "/iommu_group")),
        host.exists("/dev/iommu"));
  }

  private static OptionalInt group(Optional<String> name) {
    return name.filter(it -> it.matches("[0-9]{1,9}"))
        .map(it -> OptionalInt.of(Integer.parseInt(it)))
        .orElseGet(OptionalInt::empty);
  }

  /// Lines `START END FLAGS`, in hexadecimal (Documentation/PCI/sysfs-pci.rst). Those after the six
  /// regions of the device are its ROM and, of a bridge, its windows.
  private static long memoryBytes(String resources) {
    return resources
        .lines()
        .limit(REGIONS)
        .map(line -> line.strip().split("\\s+", -1))
        .filter(words -> words.length == 3)
        .mapToLong(PassthroughGpus::memoryBytes)
        .sum();
  }

  private static long memoryBytes(String[] words) {
    try {
      long start = Long.decode(words[0]);
      long end = Long.decode(words[1]);
      boolean isMemory = (Long.decode(words[2]) & MEMORY) != 0;
      return isMemory && end > start ? end - start + 1 : 0;
    } catch (NumberFormatException _) {
      return 0;
    }
  }
}
