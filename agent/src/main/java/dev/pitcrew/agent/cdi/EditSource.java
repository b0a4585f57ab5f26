package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Hook;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.cdi.ContainerEdits.NodeDetails;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DriverFile;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.Link;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Makes edits of files, device nodes and hooks, with the paths that the host has for them.
record EditSource(DriverRoot root, CdiOptions options) {
  private static final List<String> READ_ONLY =
      List.of("ro", "nosuid", "nodev", "rbind", "rprivate");
  private static final List<String> SOCKET =
      List.of("nosuid", "nodev", "rbind", "rprivate", "noexec");
  private static final List<String> HOOK_ENV = List.of("NVIDIA_CTK_DEBUG=false");

  ContainerEdits nodes(Collection<DeviceNode> nodes) {
    List<Integer> groups =
        options.features().contains(Feature.NO_ADDITIONAL_GROUPS)
            ? List.of()
            : nodes.stream().filter(EditSource::isRestricted).map(DeviceNode::group).toList();
    return new ContainerEdits(
        List.of(), nodes.stream().map(this::node).toList(), List.of(), List.of(), groups);
  }

  /// A device node without details; the runtime reads them from the host.
  ContainerEdits bareNode(String path) {
    DeviceNodeEdit node = new DeviceNodeEdit(path, deviceOnHost(path), Optional.empty());
    return new ContainerEdits(List.of(), List.of(node), List.of(), List.of(), List.of());
  }

  ContainerEdits files(Collection<DriverFile> files) {
    return mounts(files, READ_ONLY);
  }

  ContainerEdits sockets(Collection<DriverFile> files) {
    return mounts(files, SOCKET);
  }

  ContainerEdits links(Collection<Link> links) {
    List<String> args =
        links.stream()
            .distinct()
            .flatMap(link -> Stream.of("--link", link.target() + "::" + link.path()))
            .toList();
    return args.isEmpty() ? ContainerEdits.NONE : hook(HookName.CREATE_SYMLINKS, args);
  }

  /// The hook, unless it is switched off.
  ContainerEdits hook(HookName name, List<String> args) {
    if (!options.hooks().contains(name)) {
      return ContainerEdits.NONE;
    }
    String path = options.hookPath();
    String program = path.substring(path.lastIndexOf('/') + 1);
    Stream<String> command =
        program.equals("nvidia-ctk")
            ? Stream.of(program, "hook", name.text())
            : Stream.of(program, name.text());
    return ContainerEdits.ofHooks(
        List.of(
            new Hook(
                "createContainer",
                path,
                Stream.concat(command, args.stream()).toList(),
                HOOK_ENV)));
  }

  private ContainerEdits mounts(Collection<DriverFile> files, List<String> mountOptions) {
    return ContainerEdits.ofMounts(
        files.stream()
            .map(file ->
                new Mount(below(root.filesOnHost(), file.source()), file.path(), mountOptions))
            .toList());
  }

  private DeviceNodeEdit node(DeviceNode node) {
    return new DeviceNodeEdit(
        node.path(),
        deviceOnHost(node.path()),
        Optional.of(new NodeDetails(node.major(), node.minor(), node.permissions(), node.group())));
  }

  private Optional<String> deviceOnHost(String path) {
    return Optional.of(below(root.devicesOnHost(), path)).filter(host -> !host.equals(path));
  }

  private static boolean isRestricted(DeviceNode node) {
    return node.group() != 0 && !node.isOpenToAll();
  }

  private static String below(String root, String path) {
    return root.equals("/") ? path : root + path;
  }
}
