package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.MigPartitioning;
import java.util.Map;
import java.util.stream.Collectors;

/// How a GPU is divided, in words.
public final class LayoutText {
  private LayoutText() {}

  public static String of(MigPartitioning division) {
    return switch (division) {
      case MigPartitioning.NotCapable() -> "no MIG";
      case MigPartitioning.Capable capable -> of(capable.isEnabled(), capable.counts());
    };
  }

  static String of(boolean isEnabled, Map<String, Integer> counts) {
    if (!isEnabled) {
      return "MIG off";
    }
    return counts.isEmpty()
        ? "MIG on, not divided"
        : counts.entrySet().stream()
            .map(one -> one.getKey() + " x " + one.getValue())
            .collect(Collectors.joining(", "));
  }
}
