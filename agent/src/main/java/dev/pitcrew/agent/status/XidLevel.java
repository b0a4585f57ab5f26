package dev.pitcrew.agent.status;

import dev.pitcrew.api.node.HealthLevel;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/// What Xids mean and what would mend the GPU, after NVIDIA's public catalogue of Xids. An Xid that
/// is not listed degrades.
enum XidLevel {
  DOUBLE_BIT(48, HealthLevel.NEEDS_RESET, "uncorrectable memory error"),
  MICROCONTROLLER(62, HealthLevel.NEEDS_RESET, "internal microcontroller halted"),
  ROW_REMAPPED(63, HealthLevel.DEGRADED, "a row of memory was remapped"),
  ROW_NOT_REMAPPED(64, HealthLevel.NEEDS_RESET, "a row of memory could not be remapped"),
  NVLINK(74, HealthLevel.NEEDS_RESET, "NVLink error"),
  OFF_THE_BUS(79, HealthLevel.NEEDS_REBOOT, "the GPU has fallen off the bus"),
  SINGLE_BITS(92, HealthLevel.DEGRADED, "many corrected memory errors"),
  CONTAINED(94, HealthLevel.DEGRADED, "contained memory error"),
  UNCONTAINED(95, HealthLevel.NEEDS_RESET, "uncontained memory error"),
  GSP_TIMEOUT(119, HealthLevel.NEEDS_RESET, "the GPU's system processor does not answer"),
  GSP_ERROR(120, HealthLevel.NEEDS_RESET, "the GPU's system processor failed"),
  UNRECOVERED(140, HealthLevel.NEEDS_RESET, "memory error without recovery");

  private static final Map<Long, XidLevel> BY_NUMBER =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(it -> it.number, it -> it));

  private final long number;
  private final HealthLevel level;
  private final String meaning;

  XidLevel(long number, HealthLevel level, String meaning) {
    this.number = number;
    this.level = level;
    this.meaning = meaning;
  }

  static HealthLevel of(long xid) {
    return BY_NUMBER.containsKey(xid) ? BY_NUMBER.get(xid).level : HealthLevel.DEGRADED;
  }

  /// Such as `Xid 79 (the GPU has fallen off the bus)`.
  static String text(long xid) {
    return BY_NUMBER.containsKey(xid)
        ? "Xid %d (%s)".formatted(xid, BY_NUMBER.get(xid).meaning)
        : "Xid " + xid;
  }
}
