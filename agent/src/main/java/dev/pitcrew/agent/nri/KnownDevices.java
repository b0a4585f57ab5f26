package dev.pitcrew.agent.nri;

import java.util.Set;
import java.util.TreeSet;

/// The devices that the node's CDI specifications have for containers that ask by variable.
///
/// @param gpus the names of the GPUs: indices, UUIDs, MIG devices as `0:1`, `all` and `none`
/// @param extras the classes of further devices, such as `gds`
/// @param hasManagement whether there are the devices of who manages the node
public record KnownDevices(Set<String> gpus, Set<String> extras, boolean hasManagement) {
  /// Without a driver there are none.
  public static final KnownDevices NONE = new KnownDevices(Set.of(), Set.of(), false);

  static final String ALL = "all";
  static final String VENDOR = "runtime.nvidia.com";
  static final String MANAGEMENT_VENDOR = "management.nvidia.com";
  static final String MANAGEMENT = MANAGEMENT_VENDOR + "/gpu";

  public KnownDevices {
    gpus = Set.copyOf(gpus);
    extras = Set.copyOf(extras);
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

  /// The names in order, for a message.
  String words() {
    return String.join(", ", new TreeSet<>(gpus));
  }
}
