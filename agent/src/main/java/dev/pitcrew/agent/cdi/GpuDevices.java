package dev.pitcrew.agent.cdi;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The devices of GPUs that are whole, and of the MIG devices of the others.
record GpuDevices(EditSource source, DeviceNodes nodes) {

  /// A device without a name yet, or why there is none.
  sealed interface Found {
    record Device(Function<DeviceNaming, String> name, ContainerEdits edits) implements Found {}

    /// @param missing the device file, as the kernel names it
    record WithoutNode(String uuid, String missing) implements Found {}
  }

  List<Found> of(Gpu gpu) {
    return switch (gpu.mig()) {
      case Mig.NotCapable _, Mig.Disabled _ -> List.of(whole(gpu));
      case Mig.Enabled enabled ->
          enabled.devices().stream().map(device -> part(gpu, device)).toList();
    };
  }

  private Found whole(Gpu gpu) {
    return device(
        naming -> naming.name(gpu),
        gpu.uuid(),
        List.of(Optional.of(gpuNode(gpu))),
        displayNodes(gpu));
  }

  private Found part(Gpu gpu, MigDevice device) {
    boolean hasDisplay = device.profile().attribute().contains("gfx");
    return device(
        naming -> naming.name(gpu, device),
        device.uuid(),
        List.of(
            Optional.of(gpuNode(gpu)),
            device.capabilities().map(MigCapabilities::gpuInstanceMinor).map(GpuDevices::cap),
            device.capabilities().map(MigCapabilities::computeInstanceMinor).map(GpuDevices::cap)),
        hasDisplay ? displayNodes(gpu) : List.of());
  }

  /// A device that lacks a node it cannot work without is worse than none: the container would
  /// start and find no GPU.
  private Found device(
      Function<DeviceNaming, String> name,
      String uuid,
      List<Optional<String>> required,
      List<DeviceNode> display) {
    List<DeviceNode> own = new ArrayList<>();
    for (Optional<String> path : required) {
      Optional<DeviceNode> node = path.flatMap(nodes::node);
      if (node.isEmpty()) {
        return new Found.WithoutNode(uuid, path.orElse("its file below /dev/nvidia-caps"));
      }
      own.add(node.get());
    }
    own.addAll(display);
    ContainerEdits edits = source.nodes(own).and(source.links(linksTo(display))).and(modes(own));
    return new Found.Device(name, edits);
  }

  private List<DeviceNode> displayNodes(Gpu gpu) {
    return nodes.displayNodesOf(gpu.pci().address().toLowerCase(Locale.ROOT));
  }

  private List<Link> linksTo(List<DeviceNode> display) {
    Set<String> names = display.stream().map(DeviceNode::name).collect(Collectors.toSet());
    return nodes.displayLinks().stream().filter(link -> names.contains(link.targetName())).toList();
  }

  /// Off unless asked for: runtimes that create folders below `/dev` without rights for others.
  private ContainerEdits modes(List<DeviceNode> own) {
    List<String> folders =
        own.stream()
            .map(DeviceNode::folder)
            .filter(folder -> !folder.equals("/dev"))
            .distinct()
            .sorted()
            .flatMap(folder -> Stream.of("--path", folder))
            .toList();
    Stream<String> args = Stream.concat(Stream.of("--mode", "755"), folders.stream());
    return folders.isEmpty() ? ContainerEdits.NONE : source.hook(HookName.CHMOD, args.toList());
  }

  private static String gpuNode(Gpu gpu) {
    return "/dev/nvidia" + gpu.minor();
  }

  private static String cap(int minor) {
    return "/dev/nvidia-caps/nvidia-cap" + minor;
  }
}
