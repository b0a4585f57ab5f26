package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.gpu.Vital;
import dev.pitcrew.hardware.gpu.Vitals;
import java.util.EnumMap;
import java.util.Map;

/// What the readings of a GPU say against it at one moment.
final class Symptoms {
  // nvmlClocksEventReasons: those that protect the board. A power cap is how a GPU works under
  // load.
  private static final long SW_THERMAL_SLOWDOWN = 0x20;
  private static final long HW_THERMAL_SLOWDOWN = 0x40;
  private static final long HW_POWER_BRAKE = 0x80;

  private final Gpu gpu;
  private final Vitals vitals;
  private final Map<SignKind, Long> found = new EnumMap<>(SignKind.class);

  private Symptoms(Gpu gpu, Vitals vitals) {
    this.gpu = gpu;
    this.vitals = vitals;
  }

  /// @param usualLinks how many NVLinks were up at best
  static Map<SignKind, Long> of(Gpu gpu, Vitals vitals, long usualLinks) {
    return new Symptoms(gpu, vitals).found(usualLinks);
  }

  private Map<SignKind, Long> found(long usualLinks) {
    counted(SignKind.UNCORRECTED_ECC, Vital.UNCORRECTED_ECC);
    counted(SignKind.REMAP_PENDING, Vital.REMAP_PENDING);
    counted(SignKind.REMAP_FAILED, Vital.REMAP_FAILED);
    counted(SignKind.RETIREMENT_PENDING, Vital.RETIREMENT_PENDING);
    counted(SignKind.RECOVERY_ACTION, Vital.RECOVERY_ACTION);
    slowed(SignKind.THERMAL_SLOWDOWN, SW_THERMAL_SLOWDOWN | HW_THERMAL_SLOWDOWN);
    slowed(SignKind.POWER_BRAKE, HW_POWER_BRAKE);
    // MIG switches all links off.
    if (!gpu.mig().isEnabled() && vitals.has(Vital.ACTIVE_NVLINKS)) {
      put(SignKind.NVLINKS_DOWN, usualLinks - vitals.of(Vital.ACTIVE_NVLINKS));
    }
    return Map.copyOf(found);
  }

  private void counted(SignKind kind, Vital vital) {
    put(kind, vitals.of(vital));
  }

  private void slowed(SignKind kind, long reasons) {
    put(kind, (vitals.of(Vital.CLOCK_EVENT_REASONS) & reasons) == 0 ? 0 : 1);
  }

  private void put(SignKind kind, long value) {
    if (value != 0) {
      found.put(kind, value);
    }
  }
}
