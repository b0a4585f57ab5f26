package dev.pitcrew.agent.config;

import java.util.Locale;

/// Which of NVIDIA's programs is configured; they share a file, and some flags.
public enum Program {
  /// The device plugin, and the CDI specifications that it writes.
  PLUGIN,
  /// GPU feature discovery.
  LABELS;

  /// As the table of flags names it.
  String value() {
    return name().toLowerCase(Locale.ROOT);
  }
}
