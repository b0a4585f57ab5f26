package dev.pitcrew.agent.cdi;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Switches that NVIDIA's tools accept as `--feature-flag` and `--cdi-feature-flags`. Those that
/// have no meaning here, and unknown ones, are ignored.
public enum Feature {
  /// Mount the vendor-neutral libraries (GLVND, OpenCL) of the driver root too.
  EXPLICIT_DRIVER_LIBRARIES("enable-explicit-driver-libraries"),
  /// Do not let containers join the groups that own device nodes.
  NO_ADDITIONAL_GROUPS("no-additional-gids-for-device-nodes"),
  /// Do not mount the sockets of the driver's daemons.
  NO_SOCKETS("disable-ipc-discoverer");

  private final String text;

  Feature(String text) {
    this.text = text;
  }

  public static Set<Feature> of(Collection<String> flags) {
    List<Feature> on = Arrays.stream(values()).filter(f -> flags.contains(f.text)).toList();
    return on.isEmpty() ? Set.of() : EnumSet.copyOf(on);
  }
}
