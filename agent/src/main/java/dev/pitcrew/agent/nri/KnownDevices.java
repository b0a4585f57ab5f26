package dev.pitcrew.agent.nri;

import static java.util.stream.Collectors.toSet;

import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.nri.plan.ContainerFacts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The devices that the node's CDI specifications have for containers that ask by variable.
///
/// @param gpus the names of the GPUs: indices, UUIDs, MIG devices as `0:1`, `all` and `none`
/// @param extras the classes of further devices, such as `gds`
/// @param hasManagement whether there are the devices of who manages the node
/// @param mounts of the driver's files that a container gets with a device, by the device's full
///   name
public record KnownDevices(
    Set<String> gpus, Set<String> extras, boolean hasManagement, Map<String, List<Mount>> mounts) {
  /// Without a driver there are none.
  public static final KnownDevices NONE = new KnownDevices(Set.of(), Set.of(), false, Map.of());

  static final String ALL = "all";
  static final String VENDOR = "runtime.nvidia.com";
  static final String MANAGEMENT_VENDOR = "management.nvidia.com";
  static final String MANAGEMENT = MANAGEMENT_VENDOR + "/gpu";

  public KnownDevices {
    gpus = Set.copyOf(gpus);
    extras = Set.copyOf(extras);
    mounts = Map.copyOf(mounts);
  }

  boolean hasGpus() {
    return !gpus.isEmpty();
  }

  static String gpu(String name) {
    return VENDOR + "/gpu=" + name;
  }

  static String extra(String deviceClass) {
    return VENDOR + "/" + deviceClass + "=" + ALL;
  }

  /// The driver's files in a container with a user namespace, as mounts that are not idmapped.
  /// Runtimes idmap those of CDI devices there (container-device-interface since 1.1). The kernel
  /// refuses that for an overlayfs, which the root of a driver container is, and files that all may
  /// read need no owner in the container. A mount of the pod's own stays as it is.
  ///
  /// @param injected the devices that the container gets from this plugin
  List<Mount> withoutIdMapping(ContainerFacts container, List<String> injected) {
    Set<Mount> ours = mounts.values().stream().flatMap(List::stream).collect(toSet());
    Stream<Mount> ofTheKubelet =
        container.idMapped().stream().map(KnownDevices::plain).filter(ours::contains);
    Stream<Mount> ofThisPlugin =
        injected.stream().flatMap(name -> mounts.getOrDefault(name, List.of()).stream());
    return Stream.concat(ofTheKubelet, ofThisPlugin).distinct().toList();
  }

  private static Mount plain(Mount mount) {
    List<String> options =
        mount.options().stream().filter(it -> !ContainerFacts.ID_MAPPING.contains(it)).toList();
    return new Mount(mount.hostPath(), mount.containerPath(), options);
  }

  /// The names in order, for a message.
  String words() {
    return String.join(", ", new TreeSet<>(gpus));
  }
}
