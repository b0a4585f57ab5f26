package dev.pitcrew.agent.mig;

import java.time.Duration;

/// How long each part of a change of the MIG layout may take.
///
/// @param forPods how long the change waits for blocking pods, with their GPU withheld
/// @param forReadiness for the kubelet to be informed, and for NVML to be closed
/// @param forTheChange and as long again for the rollback
/// @param forACall into NVML
public record MigLimits(
    Duration forPods, Duration forReadiness, Duration forTheChange, Duration forACall) {

  /// A GPU instance takes a second, a reset half a minute.
  public static final MigLimits USUAL =
      new MigLimits(
          Duration.ofMinutes(10),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5),
          Duration.ofSeconds(60));

  public MigLimits withCalls(Duration limit) {
    return new MigLimits(forPods, forReadiness, forTheChange, limit);
  }
}
