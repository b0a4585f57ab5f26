package dev.pitcrew.agent.process;

import java.time.Duration;

/// How long a division of the GPUs may take, part by part.
///
/// @param forPods how long pods in the way are waited for with their GPU given to nobody else
/// @param forReadiness for the kubelet to be told, and for NVML to be closed
/// @param forTheChange and as long again for the way back
/// @param forACall into NVML
record MigLimits(
    Duration forPods, Duration forReadiness, Duration forTheChange, Duration forACall) {

  /// A GPU instance takes a second, a reset half a minute.
  static final MigLimits USUAL =
      new MigLimits(
          Duration.ofMinutes(10),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5),
          Duration.ofSeconds(60));

  MigLimits withCalls(Duration limit) {
    return new MigLimits(forPods, forReadiness, forTheChange, limit);
  }
}
