package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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

  private static final int TYPE_MASK = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;
  private static final int PERMISSIONS_MASK = 0777;

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
    Optional<String> real = devices.resolve(path);
    if (real.isEmpty()) {
      return Optional.empty();
    }
    try {
      Map<String, Object> unix =
          Files.readAttributes(
              devices.at(real.get()), "unix:mode,rdev,gid", LinkOption.NOFOLLOW_LINKS);
      int mode = number(unix, "mode").intValue();
      long device = number(unix, "rdev").longValue();
      if ((mode & TYPE_MASK) != CHARACTER_DEVICE) {
        return Optional.empty();
      }
      int group = number(unix, "gid").intValue();
      return Optional.of(
          new DeviceNode(path, major(device), minor(device), mode & PERMISSIONS_MASK, group));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private static Number number(Map<String, Object> attributes, String name) throws IOException {
    if (attributes.get(name) instanceof Number number) {
      return number;
    }
    throw new IOException("the file system has no attribute " + name);
  }

  /// As glibc's gnu_dev_major takes a dev_t apart.
  static int major(long device) {
    return (int) ((device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL));
  }

  static int minor(long device) {
    return (int) ((device & 0xff) | (device >>> 12 & ~0xffL));
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
