package dev.pitcrew.agent.runtime.plan;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How a runtime is made to load a changed configuration.
public enum RestartMode {
  /// `SIGHUP`: Docker reads its file again; containerd ends, and systemd starts it.
  SIGNAL,
  /// `systemctl restart` on the host.
  SYSTEMD,
  /// By another program or user.
  NONE;

  /// As the container toolkit names it.
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<RestartMode> of(String value) {
    return Arrays.stream(values()).filter(mode -> mode.value().equals(value)).findFirst();
  }
}
