package dev.pitcrew.core.fleet;

import java.util.Comparator;
import java.util.List;

/// The health levels of GPUs, by the words of a GPUNode.
public final class HealthLevels {
  /// The worse the later; an empty text where the level is not known.
  private static final List<String> WORDS =
      List.of("", "Healthy", "Degraded", "NeedsReset", "NeedsReboot", "Replace");

  private HealthLevels() {}

  /// A level that is of a later release comes last.
  public static int badness(String level) {
    int known = WORDS.indexOf(level);
    return known < 0 ? WORDS.size() : known;
  }

  /// Whether no pod gets the GPU: one that is degraded still works.
  public static boolean isUnhealthy(String level) {
    return badness(level) > WORDS.indexOf("Degraded");
  }

  /// Whether something speaks against the GPU.
  public static boolean isWorseThanHealthy(String level) {
    return badness(level) > WORDS.indexOf("Healthy");
  }

  /// That of the GPU that is worst; empty where none is known.
  public static String worst(List<String> levels) {
    return levels.stream().max(Comparator.comparingInt(HealthLevels::badness)).orElse("");
  }
}
