package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What is particular about one node. All of it is there before containerd and the kubelet start,
/// and again after each reboot.
///
/// @param name in lower case, as Kubernetes names nodes
/// @param mounts files and folders of this machine that lie over those of the node
/// @param devices character devices that only this node has
/// @param images archives that containerd imports before the kubelet starts
/// @param kubeletSettings lines of a KubeletConfiguration, such as `topologyManagerPolicy:
///   restricted`
/// @param containerd which release of it the node has
public record NodeSpec(
    String name,
    List<Mount> mounts,
    List<Device> devices,
    List<Path> images,
    List<String> kubeletSettings,
    ContainerdRelease containerd) {
  private static final String NAME = "[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?";

  /// `source` of this machine lies over `target` of the node, which is made where it is missing.
  public record Mount(Path source, String target) {}

  /// A character device.
  public record Device(String path, int major, int minor) {}

  public NodeSpec {
    if (!name.matches(NAME)) {
      throw new TestbedException("'" + name + "' is no name of a node");
    }
    mounts = List.copyOf(mounts);
    devices = List.copyOf(devices);
    images = List.copyOf(images);
    kubeletSettings = List.copyOf(kubeletSettings);
  }

  /// A node with nothing particular.
  public static NodeSpec named(String name) {
    return new NodeSpec(name, List.of(), List.of(), List.of(), List.of(), ContainerdRelease.V2);
  }

  public NodeSpec withMount(Path source, String target) {
    var mount = new Mount(source.toAbsolutePath(), target);
    return new NodeSpec(name, with(mounts, mount), devices, images, kubeletSettings, containerd);
  }

  public NodeSpec withDevice(String path, int major, int minor) {
    var device = new Device(path, major, minor);
    return new NodeSpec(name, mounts, with(devices, device), images, kubeletSettings, containerd);
  }

  public NodeSpec withImage(Path archive) {
    return new NodeSpec(name, mounts, devices, with(images, archive), kubeletSettings, containerd);
  }

  public NodeSpec withKubeletSetting(String line) {
    return new NodeSpec(name, mounts, devices, images, with(kubeletSettings, line), containerd);
  }

  public NodeSpec withContainerd(ContainerdRelease release) {
    return new NodeSpec(name, mounts, devices, images, kubeletSettings, release);
  }

  private static <T> List<T> with(List<T> some, T another) {
    var more = new ArrayList<>(some);
    more.add(another);
    return more;
  }
}
