package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.MigProfile;

/// The extended resources under which devices are offered (device plugin, default resources).
public final class ResourceName {
  public static final String PREFIX = "nvidia.com/";
  public static final String GPU = PREFIX + "gpu";

  private ResourceName() {}

  /// The resource of a MIG profile under the strategy `mixed`, such as `nvidia.com/mig-1g.10gb.me`.
  public static String of(MigProfile profile) {
    return PREFIX + "mig-" + profile.dottedName();
  }
}
