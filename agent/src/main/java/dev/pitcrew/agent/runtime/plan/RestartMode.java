package dev.pitcrew.agent.runtime.plan;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How a runtime is told that its configuration is another one.
public enum RestartMode {
  /// `SIGHUP`: Docker reads its file again; containerd ends, and systemd starts it.
  SIGNAL,
  /// `systemctl restart` on the host.
  SYSTEMD,
  /// By somebody else.
  NONE;

  /// As the container toolkit names it.
  public String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<RestartMode> of(String value) {
    return Arrays.stream(values()).filter(mode -> mode.value().equals(value)).findFirst();
  }
}
