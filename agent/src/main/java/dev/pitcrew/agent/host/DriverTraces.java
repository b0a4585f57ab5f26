package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.util.regex.Pattern;

/// What driver containers leave on the host. While one restarts, its modules may be loaded while
/// its files are not there yet; a library of the same version on the host would then pass for the
/// driver's. Both files lie in memory and go with the next boot.
public enum DriverTraces {
  /// None has had a driver here since the node booted.
  NONE,
  /// One has installed a driver, and runs no more.
  LEFT,
  /// One runs.
  ALIVE;

  /// Written by each driver container for as long as it runs, with a lock on it; its pod shares the
  /// host's processes.
  private static final String PROCESS = "/run/nvidia/nvidia-driver.pid";

  /// The digest of what was installed.
  public static final String DIGEST = "/run/nvidia/nvidia-driver.state";

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,9}");

  public static DriverTraces of(HostRoot host) {
    boolean runs =
        host.text(PROCESS)
            .map(String::strip)
            .filter(text -> NUMBER.matcher(text).matches())
            .filter(process -> host.exists("/proc/" + process))
            .isPresent();
    if (runs) {
      return ALIVE;
    }
    return host.exists(DIGEST) ? LEFT : NONE;
  }
}
