package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The kernel's log, record by record, without ever waiting for one
/// (Documentation/ABI/testing/dev-kmsg). Who opens it begins with the oldest record that the kernel
/// still has; to read takes nothing away from other readers.
public final class KernelLog implements AutoCloseable {
  static final String DEVICE = "/dev/kmsg";
  private static final int O_NONBLOCK_CLOEXEC = 0x80800;
  private static final int EPERM = 1;
  private static final int ENOENT = 2;
  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int EACCES = 13;
  private static final int EPIPE = 32;

  /// Where less does not hold the next record, the read fails with EINVAL. The kernel writes none
  /// that is longer (CONSOLE_EXT_LOG_MAX, since 6.4 PRINTK_MESSAGE_MAX with less).
  private static final int RECORD_BYTES = 8192;

  /// The largest buffer of a kernel has fewer.
  public static final int MOST_RECORDS = 1 << 16;

  private final Device device;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer = arena.allocate(RECORD_BYTES);

  /// What is read from.
  interface Device extends AutoCloseable {
    /// @return the bytes of one record, 0 where a file stands for the log and ends, or `-errno`
    long read(MemorySegment into);

    @Override
    void close();
  }

  /// How far a reading came.
  ///
  /// @param isAtEnd whether there is no further record at the moment
  /// @param hasGap whether records were overwritten before they were read
  /// @param problem why no more can be read at all; empty where it can
  public record Progress(boolean isAtEnd, boolean hasGap, String problem) {}

  KernelLog(Device device) {
    this.device = device;
  }

  /// @throws IOException with the device and the kernel's reason
  public static KernelLog open(HostRoot host) throws IOException {
    var path = host.resolve(DEVICE);
    try (var arena = Arena.ofConfined()) {
      int file =
          Libc.open(
              arena.allocateFrom(path.toString()),
              O_NONBLOCK_CLOEXEC,
              arena.allocate(Libc.ERRNO_STATE));
      if (file < 0) {
        throw new IOException("%s: %s".formatted(path, words(-file)));
      }
      return new KernelLog(new OpenFile(file));
    }
  }

  /// Reads what there is.
  ///
  /// @param most of how many records, so that a storm takes no more time than that
  public Progress read(int most, Consumer<KernelRecord> each) {
    boolean hasGap = false;
    for (int i = 0; i < most; i++) {
      long size = device.read(buffer);
      if (size > 0) {
        text(size).lines().flatMap(it -> KernelRecord.parse(it).stream()).forEach(each);
      } else if (size == -EPIPE) {
        // The next read gives the oldest record that is left.
        hasGap = true;
      } else {
        boolean isOver = size == 0 || size == -EAGAIN || size == -EINTR;
        return new Progress(true, hasGap, isOver ? "" : "%s: %s".formatted(DEVICE, words(-size)));
      }
    }
    return new Progress(false, hasGap, "");
  }

  private String text(long size) {
    return new String(buffer.asSlice(0, size).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
  }

  private static String words(long errno) {
    return switch ((int) errno) {
      case EPERM -> "operation not permitted (EPERM)";
      case ENOENT -> "no such file (ENOENT)";
      case EACCES -> "permission denied (EACCES)";
      default -> "errno " + errno;
    };
  }

  /// The messages of the kernel, oldest first; none where the log cannot be read.
  public static List<String> messages(HostRoot host) {
    var messages = new ArrayList<String>();
    try (var log = open(host)) {
      log.read(
          MOST_RECORDS,
          record -> {
            if (record.isOfKernel()) {
              messages.add(record.message());
            }
          });
    } catch (IOException _) {
      return List.of();
    }
    return messages;
  }

  @Override
  public void close() {
    device.close();
    arena.close();
  }

  private static final class OpenFile implements Device {
    private final int file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment state = arena.allocate(Libc.ERRNO_STATE);

    OpenFile(int file) {
      this.file = file;
    }

    @Override
    public long read(MemorySegment into) {
      return Libc.read(file, into, state);
    }

    @Override
    public void close() {
      Libc.close(file);
      arena.close();
    }
  }
}
