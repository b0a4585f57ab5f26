package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/// Character devices as files.
public final class DeviceFile {
  private static final int CHARACTER_READABLE_BY_ALL = 0020444;

  private DeviceFile() {}

  /// The number of the driver behind a device file; empty where there is no such file.
  public static OptionalInt major(Path file) {
    try {
      long device = ((Number) Files.getAttribute(file, "unix:rdev")).longValue();
      return OptionalInt.of((int) (((device >> 8) & 0xfffL) | ((device >> 32) & ~0xfffL)));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
      return OptionalInt.empty();
    }
  }

  /// Makes one that all may read, which only root can and not in every container.
  ///
  /// @return whether it is there now
  public static boolean make(Path file, int major, int minor) {
    long device =
        (minor & 0xffL)
            | ((major & 0xfffL) << 8)
            | ((minor & ~0xffL) << 12)
            | ((major & ~0xfffL) << 32);
    try (var arena = Arena.ofConfined()) {
      int failed =
          (int)
              mknod()
                  .invokeExact(
                      arena.allocateFrom(file.toString()), CHARACTER_READABLE_BY_ALL, device);
      return failed == 0 || Files.exists(file);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a downcall throws nothing", e);
    }
  }

  // Looked up when it is needed: few agents ever do.
  @SuppressWarnings("restricted")
  private static MethodHandle mknod() {
    var linker = Linker.nativeLinker();
    MemorySegment function = linker.defaultLookup().findOrThrow("mknod");
    return linker.downcallHandle(
        function, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG));
  }
}
