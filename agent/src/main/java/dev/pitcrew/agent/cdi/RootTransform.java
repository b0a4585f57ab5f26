package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Hook;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import java.util.Optional;

/// Moves a specification from one root to another, as `nvidia-ctk cdi transform root` does: a path
/// below `from` becomes the same path below `to`.
///
/// @param from a prefix that ends where a path component does
public record RootTransform(String from, String to) {

  /// Changes the host's side: sources of device nodes and mounts, and the paths of hooks.
  public CdiSpecification onHost(CdiSpecification specification) {
    return new CdiSpecification(
        specification.kind(),
        specification.devices().stream()
            .map(device -> new CdiDevice(device.name(), onHost(device.edits())))
            .toList(),
        onHost(specification.common()),
        specification.owner());
  }

  private ContainerEdits onHost(ContainerEdits edits) {
    return new ContainerEdits(
        edits.env(),
        edits.deviceNodes().stream().map(this::onHost).toList(),
        edits.hooks().stream()
            .map(hook -> new Hook(hook.name(), move(hook.path()), hook.args(), hook.env()))
            .toList(),
        edits.mounts().stream()
            .map(mount -> new Mount(move(mount.hostPath()), mount.containerPath(), mount.options()))
            .toList(),
        edits.additionalGroups());
  }

  private DeviceNodeEdit onHost(DeviceNodeEdit node) {
    String moved = move(node.hostPath().orElse(node.path()));
    Optional<String> hostPath = Optional.of(moved).filter(path -> !path.equals(node.path()));
    return new DeviceNodeEdit(node.path(), hostPath, node.details());
  }

  /// `/driver` is no root of `/drivers/lib`.
  String move(String path) {
    String old = withoutSlash(from);
    if (!path.equals(old) && !path.startsWith(old + "/")) {
      return path;
    }
    String moved = withoutSlash(to) + path.substring(old.length());
    return moved.isEmpty() ? "/" : moved;
  }

  private static String withoutSlash(String root) {
    return root.endsWith("/") ? root.substring(0, root.length() - 1) : root;
  }
}
