package dev.pitcrew.hardware.linux;

import java.time.Duration;
import java.util.Optional;

/// One record of the kernel's log, as a read of `/dev/kmsg` gives it:
/// `priority,sequence,time,flags` and maybe more fields, a semicolon, the message
/// (Documentation/ABI/testing/dev-kmsg).
///
/// The flag is not looked at: NVIDIA's driver writes its lines as continuations (`KERN_CONT` in
/// nv_printf of open-gpu-kernel-modules), so that they have `c` where others have `-`.
///
/// @param priority facility times eight plus level
/// @param sequence grows by one with each record, from the start of the kernel
/// @param sinceBoot when it was written, by the clock of the kernel's log
/// @param message a line feed or another byte that cannot be printed in it is written as `\x0a`
public record KernelRecord(int priority, long sequence, Duration sinceBoot, String message) {
  private static final int FIELDS = 4;

  /// Whether the kernel itself wrote it, modules included. What a process writes to `/dev/kmsg` has
  /// another facility: the kernel replaces facility 0 there (devkmsg_write in
  /// kernel/printk/printk.c).
  public boolean isOfKernel() {
    return priority >> 3 == 0;
  }

  /// @param line of a record, without the lines of its properties
  /// @return empty where it is no record
  static Optional<KernelRecord> parse(String line) {
    int end = line.indexOf(';');
    if (end < 0) {
      return Optional.empty();
    }
    String[] fields = line.substring(0, end).split(",", -1);
    if (fields.length < FIELDS) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new KernelRecord(
              Integer.parseUnsignedInt(fields[0]),
              Long.parseLong(fields[1]),
              Duration.ofNanos(Math.multiplyExact(1000L, Long.parseLong(fields[2]))),
              line.substring(end + 1)));
    } catch (ArithmeticException | NumberFormatException _) {
      return Optional.empty();
    }
  }
}
