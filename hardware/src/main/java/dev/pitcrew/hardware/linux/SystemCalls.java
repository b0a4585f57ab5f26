package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// System calls that only programs for one purpose make: looked up when they are made, and with the
/// kernel's reason.
final class SystemCalls {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private SystemCalls() {}

  /// A call with a path or name and a flag.
  private interface Call {
    int run(MemorySegment state, MemorySegment text) throws Throwable;
  }

  /// The call `delete_module` has no function in the C library.
  ///
  /// @return errno, or 0
  static int deleteModule(String name, int flags) {
    long number = System.getProperty("os.arch", "").equals("aarch64") ? 106 : 176;
    var handle =
        of(
            "syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(1));
    return failure(
        name, (state, text) -> (int) (long) handle.invokeExact(state, number, text, flags));
  }

  /// @return errno, or 0
  static int unmount(String path, int flags) {
    var handle = of("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    return failure(path, (state, text) -> (int) handle.invokeExact(state, text, flags));
  }

  /// @param device as `makedev` composes it
  /// @return errno, or 0
  static int makeNode(String path, int mode, long device) {
    var handle = of("mknod", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG));
    return failure(path, (state, text) -> (int) handle.invokeExact(state, text, mode, device));
  }

  private static int failure(String text, Call call) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      return call.run(state, arena.allocateFrom(text)) == 0 ? 0 : (int) ERRNO.get(state, 0L);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a downcall throws nothing", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    var linker = Linker.nativeLinker();
    var all = new Linker.Option[options.length + 1];
    System.arraycopy(options, 0, all, 1, options.length);
    all[0] = Linker.Option.captureCallState("errno");
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, all);
  }
}
