package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.DeviceFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Finds device nodes below one root, and in another's `/sys` to which GPU the display's belong.
public final class DeviceNodeSearch {
  private static final String PCI_DEVICES = "/sys/bus/pci/devices";
  private static final String DISPLAY = "/dev/dri";

  private record Place(String folder, Predicate<String> names) {
    static Place of(String folder, String glob) {
      return new Place(folder, NamePattern.of(glob));
    }
  }

  private static final List<Place> PLACES =
      List.of(
          Place.of("/dev", "nvidia*"),
          Place.of("/dev", "gdrdrv"),
          Place.of("/dev/nvidia-caps", "nvidia-cap*"),
          Place.of("/dev/nvidia-caps-imex-channels", "channel*"),
          Place.of(DISPLAY, "card*"),
          Place.of(DISPLAY, "renderD*"),
          Place.of("/dev/infiniband", "uverbs*"),
          Place.of("/dev/infiniband", "rdma_cm"));

  private DeviceNodeSearch() {}

  /// Finds what is there now.
  ///
  /// @param devices the root whose `/dev` is read
  /// @param host the root whose `/sys` is read
  public static DeviceNodes find(HostRoot devices, HostRoot host) {
    return find(new RootFolder(devices), new RootFolder(host));
  }

  private static DeviceNodes find(RootFolder devices, RootFolder host) {
    List<DeviceNode> nodes =
        PLACES.stream()
            .flatMap(place -> devices.list(place.folder(), place.names()).stream())
            .distinct()
            .flatMap(path -> node(devices, path).stream())
            .sorted(Comparator.comparing(DeviceNode::path))
            .toList();
    return new DeviceNodes(nodes, displayNodes(host), displayLinks(devices));
  }

  static Optional<DeviceNode> node(RootFolder devices, String path) {
    return devices
        .resolve(path)
        .map(devices::at)
        .flatMap(DeviceFile::at)
        .map(file ->
            new DeviceNode(path, file.major(), file.minor(), file.permissions(), file.group()));
  }

  private static Map<String, List<String>> displayNodes(RootFolder host) {
    Predicate<String> isNode = NamePattern.of("card*").or(NamePattern.of("renderD*"));
    Map<String, List<String>> byAddress = new HashMap<>();
    for (String function : host.list(PCI_DEVICES, _ -> true)) {
      List<String> nodes =
          host.list(function + "/drm", isNode).stream()
              .map(path -> DISPLAY + "/" + RootFolder.name(path))
              .toList();
      if (!nodes.isEmpty()) {
        byAddress.put(RootFolder.name(function).toLowerCase(Locale.ROOT), nodes);
      }
    }
    return byAddress;
  }

  private static List<Link> displayLinks(RootFolder devices) {
    Predicate<String> names = NamePattern.of("pci-*-card").or(NamePattern.of("pci-*-render"));
    List<Link> links = new ArrayList<>();
    for (String path : devices.list(DISPLAY + "/by-path", names)) {
      devices.linkTarget(path).map(target -> new Link(target, path)).ifPresent(links::add);
    }
    return links;
  }
}
