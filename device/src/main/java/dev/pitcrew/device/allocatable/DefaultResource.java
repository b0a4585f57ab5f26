package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.MigProfile;

/// The extended resources under which devices are offered (device plugin, default resources).
final class DefaultResource {
  private static final String PREFIX = "nvidia.com/";
  static final String GPU = PREFIX + "gpu";

  private DefaultResource() {}

  /// The resource of a MIG profile under the strategy `mixed`, such as `nvidia.com/mig-1g.10gb.me`.
  static String of(MigProfile profile) {
    return PREFIX + "mig-" + profile.dottedName();
  }
}
