package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import java.time.Duration;

/// How levels come and go.
///
/// @param recoverAfter for how long no evidence must remain of what merely degrades a GPU
public record HealthRules(Duration recoverAfter) {
  /// From this level on no pod is given the GPU: below, it works.
  static final HealthLevel UNFIT_FROM = HealthLevel.NEEDS_RESET;

  /// Whether no pod is given a GPU of this level.
  public static boolean isUnfit(HealthLevel level) {
    return level.compareTo(UNFIT_FROM) >= 0;
  }
}
