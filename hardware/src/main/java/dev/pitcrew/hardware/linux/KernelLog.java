package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// What the kernel has said since the machine started, as far as its buffer still has it
/// (Documentation/ABI/testing/dev-kmsg).
public final class KernelLog {
  private static final String DEVICE = "/dev/kmsg";
  private static final int O_NONBLOCK_CLOEXEC = 0x80800;
  private static final int RECORD_BYTES = 8192;

  /// The largest buffer of a kernel has fewer.
  private static final int MOST_RECORDS = 1 << 16;

  private KernelLog() {}

  /// The messages, oldest first; none where the log cannot be read.
  public static List<String> messages(HostRoot host) {
    try {
      return messages(host.resolve(DEVICE));
    } catch (IOException _) {
      return List.of();
    }
  }

  /// Reads as long as there is something, and never waits for more.
  private static List<String> messages(Path device) {
    try (var arena = Arena.ofConfined()) {
      int file = Libc.open(arena.allocateFrom(device.toString()), O_NONBLOCK_CLOEXEC);
      if (file < 0) {
        return List.of();
      }
      try {
        return messages(file, arena.allocate(RECORD_BYTES));
      } finally {
        Libc.close(file);
      }
    }
  }

  private static List<String> messages(int file, MemorySegment buffer) {
    return Stream.generate(() -> record(file, buffer))
        .limit(MOST_RECORDS)
        .takeWhile(record -> !record.isEmpty())
        .flatMap(String::lines)
        .filter(line -> !line.startsWith(" "))
        .map(KernelLog::message)
        .toList();
  }

  /// A record that was overwritten while it was read is an error like the end of the log; what came
  /// before it is what we have.
  private static String record(int file, MemorySegment buffer) {
    long size = Libc.read(file, buffer);
    return size <= 0
        ? ""
        : new String(buffer.asSlice(0, size).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
  }

  /// `priority,sequence,time,flags;message`; lines that begin with a space are its properties.
  private static String message(String line) {
    return line.substring(line.indexOf(';') + 1);
  }
}
