package dev.pitcrew.agent.cdi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What is changed in a container that is given a device.
///
/// @param env as `NAME=value`
/// @param additionalGroups ids of groups that the container's process joins
public record ContainerEdits(
    List<String> env,
    List<DeviceNodeEdit> deviceNodes,
    List<Hook> hooks,
    List<Mount> mounts,
    List<Integer> additionalGroups) {
  private static final String CAPABILITIES = "/dev/nvidia-caps/";

  public static final ContainerEdits NONE =
      new ContainerEdits(List.of(), List.of(), List.of(), List.of(), List.of());

  public ContainerEdits {
    env = List.copyOf(env);
    deviceNodes = List.copyOf(deviceNodes);
    hooks = List.copyOf(hooks);
    mounts = List.copyOf(mounts);
    additionalGroups = List.copyOf(additionalGroups);
  }

  /// A device node in the container.
  ///
  /// @param hostPath empty where it is `path`
  /// @param details empty where the runtime is to look itself
  public record DeviceNodeEdit(
      String path, Optional<String> hostPath, Optional<NodeDetails> details) {
    public DeviceNodeEdit {
      requirePath(path);
      hostPath.ifPresent(ContainerEdits::requirePath);
    }

    private DeviceNodeEdit withCapabilityOfHost() {
      return path.startsWith(CAPABILITIES)
          ? new DeviceNodeEdit(
              path,
              Optional.of(path),
              details.map(
                  it -> new NodeDetails(it.major, it.minor, it.fileMode, it.group, "c", "")))
          : this;
    }
  }

  /// @param fileMode the permission bits
  /// @param group the id of the owning group
  /// @param type `c` where the runtime must not look for the node on the host; empty where it may
  /// @param permissions of the device cgroup, such as `rwm`; empty for the runtime's default
  public record NodeDetails(
      int major, int minor, int fileMode, int group, String type, String permissions) {
    public NodeDetails(int major, int minor, int fileMode, int group) {
      this(major, minor, fileMode, group, "", "rwm");
    }
  }

  /// A program that the runtime starts.
  ///
  /// @param args the first is the program's own name
  public record Hook(String name, String path, List<String> args, List<String> env) {
    public Hook {
      requirePath(path);
      args = List.copyOf(args);
      env = List.copyOf(env);
    }
  }

  /// A bind mount.
  public record Mount(String hostPath, String containerPath, List<String> options) {
    public Mount {
      requirePath(hostPath);
      requirePath(containerPath);
      options = List.copyOf(options);
    }
  }

  public static ContainerEdits ofEnv(String... env) {
    return new ContainerEdits(List.of(env), List.of(), List.of(), List.of(), List.of());
  }

  public static ContainerEdits ofHooks(Collection<Hook> hooks) {
    return new ContainerEdits(List.of(), List.of(), List.copyOf(hooks), List.of(), List.of());
  }

  public static ContainerEdits ofMounts(Collection<Mount> mounts) {
    return new ContainerEdits(List.of(), List.of(), List.of(), List.copyOf(mounts), List.of());
  }

  public boolean isEmpty() {
    return equals(NONE);
  }

  /// These edits and then others; what is in both stays in the first place only.
  public ContainerEdits and(ContainerEdits more) {
    return new ContainerEdits(
        union(env, more.env),
        union(deviceNodes, more.deviceNodes),
        union(hooks, more.hooks),
        union(mounts, more.mounts),
        union(additionalGroups, more.additionalGroups));
  }

  /// These edits less what is in others.
  public ContainerEdits without(ContainerEdits others) {
    return new ContainerEdits(
        difference(env, others.env),
        difference(deviceNodes, others.deviceNodes),
        difference(hooks, others.hooks),
        difference(mounts, others.mounts),
        difference(additionalGroups, others.additionalGroups));
  }

  /// The same with the capability files of MIG devices as NVIDIA's DRA driver writes them: at the
  /// host's own path, complete, so that the runtime does not look for them in a driver root.
  public ContainerEdits withCapabilitiesOfHost() {
    return new ContainerEdits(
        env,
        deviceNodes.stream().map(DeviceNodeEdit::withCapabilityOfHost).toList(),
        hooks,
        mounts,
        additionalGroups);
  }

  private static <T> List<T> union(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).distinct().toList();
  }

  private static <T> List<T> difference(List<T> from, List<T> others) {
    List<T> left = new ArrayList<>(from);
    left.removeAll(others);
    return left;
  }

  /// Paths end up in the runtime's mount calls: absolute, without `..`, and printable.
  private static void requirePath(String path) {
    boolean leadsUp = List.of(path.split("/")).contains("..");
    if (!path.startsWith("/") || leadsUp || path.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("not a path for a CDI specification: '" + path + "'");
    }
  }
}
