package dev.pitcrew.hardware.linux;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// The device `/dev/kmsg` as Documentation/ABI/testing/dev-kmsg has it, for one reader that does
/// not wait: one record a read, EINVAL where it does not fit and the reader stays where it is,
/// EPIPE once where records were overwritten, EAGAIN at the end.
final class RecordRing implements KernelLog.Device {
  static final int LONGEST = 8192;
  private static final int EAGAIN = 11;
  private static final int EINVAL = 22;
  private static final int EPIPE = 32;

  private final int capacity;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private long written;
  private long next;
  private int failure;

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Entry(long sequence, byte[] text) {}

  RecordRing(int capacity) {
    this.capacity = capacity;
  }

  void write(int priority, String message) {
    long sequence = written++;
    String text = "%d,%d,%d,c;%s\n".formatted(priority, sequence, sequence, message);
    entries.addLast(new Entry(sequence, text.getBytes(StandardCharsets.UTF_8)));
    if (entries.size() > capacity) {
      entries.removeFirst();
    }
  }

  /// From now on each read fails with this errno.
  void fail(int errno) {
    failure = errno;
  }

  @Override
  public long read(MemorySegment into) {
    if (failure != 0) {
      return -failure;
    }
    if (entries.isEmpty() || next == written) {
      return -EAGAIN;
    }
    if (next < entries.getFirst().sequence()) {
      next = entries.getFirst().sequence();
      return -EPIPE;
    }
    byte[] text =
        entries.stream().filter(it -> it.sequence() == next).findFirst().orElseThrow().text();
    if (text.length > into.byteSize()) {
      return -EINVAL;
    }
    MemorySegment.copy(MemorySegment.ofArray(text), 0, into, 0, text.length);
    next++;
    return text.length;
  }

  @Override
  public void close() {
    entries.clear();
  }
}
