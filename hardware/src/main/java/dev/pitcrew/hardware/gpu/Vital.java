package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.FieldCalls;
import java.util.OptionalInt;

/// A reading that shows how healthy a GPU is.
public enum Vital {
  /// Since the driver was loaded or the GPU reset.
  UNCORRECTED_ECC(FieldCalls.ECC_DBE_VOL_TOTAL),
  /// 1 while a page waits to be retired.
  RETIREMENT_PENDING(FieldCalls.RETIRED_PENDING),
  /// 1 while a row waits to be remapped.
  REMAP_PENDING(FieldCalls.REMAPPED_PENDING),
  /// 1 once a row could not be remapped.
  REMAP_FAILED(FieldCalls.REMAPPED_FAILURE),
  /// nvmlDeviceGpuRecoveryAction_t
  RECOVERY_ACTION(FieldCalls.GET_GPU_RECOVERY_ACTION),
  /// The bits of nvmlDeviceGetCurrentClocksEventReasons.
  CLOCK_EVENT_REASONS,
  /// How many NVLinks are up.
  ACTIVE_NVLINKS;

  private final OptionalInt field;

  Vital(int field) {
    this.field = OptionalInt.of(field);
  }

  Vital() {
    this.field = OptionalInt.empty();
  }

  /// Its number among the fields of nvmlDeviceGetFieldValues; empty where it is none.
  OptionalInt field() {
    return field;
  }
}
