package dev.pitcrew.hardware.driver;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The device nodes of NVIDIA's drivers and of what GPUs work with, as they were at one moment.
///
/// @param nodes sorted by path
/// @param displayNodes which nodes below `/dev/dri` belong to a PCI function, such as
///   `0000:3b:00.0`, by the kernel's word
/// @param displayLinks the links of `/dev/dri/by-path`
public record DeviceNodes(
    List<DeviceNode> nodes, Map<String, List<String>> displayNodes, List<Link> displayLinks) {
  public DeviceNodes {
    nodes = List.copyOf(nodes);
    displayNodes =
        displayNodes.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> List.copyOf(e.getValue())));
    displayLinks = List.copyOf(displayLinks);
  }

  /// Where the driver makes the IMEX channel of this number.
  public static String imexChannel(int number) {
    return "/dev/nvidia-caps-imex-channels/channel" + number;
  }

  public Optional<DeviceNode> node(String path) {
    return nodes.stream().filter(node -> node.path().equals(path)).findFirst();
  }

  /// The nodes straight in `folder` whose names are accepted.
  public List<DeviceNode> in(String folder, Predicate<String> names) {
    return nodes.stream()
        .filter(node -> node.folder().equals(folder))
        .filter(node -> names.test(node.name()))
        .toList();
  }

  /// The DRM nodes of a PCI function that are there.
  public List<DeviceNode> displayNodesOf(String pciAddress) {
    return displayNodes.getOrDefault(pciAddress, List.of()).stream()
        .flatMap(path -> node(path).stream())
        .toList();
  }
}
