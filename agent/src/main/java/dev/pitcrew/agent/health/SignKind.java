package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.core.xids.XidCatalogue;
import java.time.Duration;

/// What can speak against a GPU. What each leads to is NVIDIA's word where it has one: the Xid
/// catalogue, the manual of GPU memory error management, and nvml.h for the recovery action.
public enum SignKind {
  /// An Xid that the policy takes seriously; the value is its number.
  XID,
  /// Uncorrected memory errors since the last reset; the value is how many.
  UNCORRECTED_ECC,
  /// A row of memory waits for the reset that remaps it.
  REMAP_PENDING,
  /// A row of memory could not be remapped: the board has none to spare.
  REMAP_FAILED,
  /// A page of memory waits for the reset that retires it, on GPUs before Ampere.
  RETIREMENT_PENDING,
  /// NVLinks that were up and are down; the value is how many.
  NVLINKS_DOWN,
  /// The clocks are held down by the temperature.
  THERMAL_SLOWDOWN,
  /// The clocks are held down by the power supply.
  POWER_BRAKE,
  /// The recovery action that the GPU itself reports (nvmlDeviceGpuRecoveryAction_t); the value is
  /// that number.
  RECOVERY_ACTION,
  /// The agent has reset the GPU and the evidence is still there; the value is how often. It goes
  /// with the evidence.
  RESET_IN_VAIN;

  /// So many resets that do not help are enough.
  public static final int MOST_RESETS = 2;

  private static final Duration OF_SLOWDOWN = Duration.ofSeconds(10);

  private static final int GPU_RESET = 1;
  private static final int NODE_REBOOT = 2;
  private static final int DRAIN_P2P = 3;
  private static final int DRAIN_AND_RESET = 4;

  /// To which level it leads.
  HealthLevel level(long value) {
    return switch (this) {
      case XID -> XidLevels.of(value);
      case UNCORRECTED_ECC, REMAP_PENDING, RETIREMENT_PENDING, NVLINKS_DOWN ->
          HealthLevel.NEEDS_RESET;
      case REMAP_FAILED -> HealthLevel.REPLACE;
      case THERMAL_SLOWDOWN, POWER_BRAKE -> HealthLevel.DEGRADED;
      case RECOVERY_ACTION -> ofAction(value);
      case RESET_IN_VAIN -> value < MOST_RESETS ? HealthLevel.HEALTHY : HealthLevel.NEEDS_REBOOT;
    };
  }

  /// An action that this code does not know is no reason to call the GPU healthy.
  private static HealthLevel ofAction(long action) {
    return switch ((int) action) {
      case GPU_RESET, DRAIN_AND_RESET -> HealthLevel.NEEDS_RESET;
      case NODE_REBOOT -> HealthLevel.NEEDS_REBOOT;
      default -> HealthLevel.DEGRADED;
    };
  }

  /// For how long it must last to count. Under load the clocks go down for moments all the time.
  Duration minimumDuration() {
    return switch (this) {
      case THERMAL_SLOWDOWN, POWER_BRAKE -> OF_SLOWDOWN;
      default -> Duration.ZERO;
    };
  }

  /// For people.
  String text(long value) {
    return switch (this) {
      case XID -> XidCatalogue.text(value);
      case UNCORRECTED_ECC -> "%d uncorrected memory errors".formatted(value);
      case REMAP_PENDING -> "a row of memory waits for a reset to be remapped";
      case REMAP_FAILED -> "a row of memory could not be remapped";
      case RETIREMENT_PENDING -> "a page of memory waits for a reset to be retired";
      case NVLINKS_DOWN -> "%d NVLinks are down".formatted(value);
      case THERMAL_SLOWDOWN -> "slowed down by its temperature";
      case POWER_BRAKE -> "slowed down by its power supply";
      case RECOVERY_ACTION -> "the GPU asks for " + action(value);
      case RESET_IN_VAIN ->
          value == 1 ? "a reset did not help" : "%d resets did not help".formatted(value);
    };
  }

  private static String action(long action) {
    return switch ((int) action) {
      case GPU_RESET -> "a reset";
      case NODE_REBOOT -> "a reboot of the node";
      case DRAIN_P2P -> "its peer-to-peer traffic to be drained";
      case DRAIN_AND_RESET -> "a drain and a reset";
      default -> "recovery action " + action;
    };
  }
}
