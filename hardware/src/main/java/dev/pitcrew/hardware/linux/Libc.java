package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// The few functions of the C library that the JDK has no other way to.
final class Libc {
  private static final MethodHandle SOCKET = of("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle BIND = of("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle RECV =
      of("recv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle POLL = of("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle EVENTFD = of("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle WRITE = of("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
  private static final MethodHandle CLOSE = of("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle KILL = of("kill", JAVA_INT, JAVA_INT, JAVA_INT);

  /// What a call leaves in errno, for calls whose failures differ.
  static final StructLayout ERRNO_STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      ERRNO_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      withErrno("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle READ =
      withErrno("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));

  private static final MethodHandle FLOCK =
      withErrno("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

  private static final int MSG_DONTWAIT = 0x40;

  private Libc() {}

  static int socket(int family, int type, int protocol) {
    return (int) run(() -> (int) SOCKET.invokeExact(family, type, protocol));
  }

  static int bind(int descriptor, MemorySegment address) {
    return (int) run(() -> (int) BIND.invokeExact(descriptor, address, (int) address.byteSize()));
  }

  /// Does not wait.
  static long recv(int descriptor, MemorySegment into) {
    return run(() -> (long) RECV.invokeExact(descriptor, into, into.byteSize(), MSG_DONTWAIT));
  }

  static int poll(MemorySegment descriptors, long count) {
    return (int) run(() -> (int) POLL.invokeExact(descriptors, count, -1));
  }

  static int eventfd(int flags) {
    return (int) run(() -> (int) EVENTFD.invokeExact(0, flags));
  }

  static int kill(int process, int signal) {
    return (int) run(() -> (int) KILL.invokeExact(process, signal));
  }

  /// @param state as [#ERRNO_STATE]
  /// @return the descriptor, or `-errno`
  static int open(MemorySegment path, int flags, MemorySegment state) {
    int file = (int) run(() -> (int) OPEN.invokeExact(state, path, flags));
    return file < 0 ? -errno(state) : file;
  }

  /// @param state as [#ERRNO_STATE]
  /// @return how many bytes were read, or `-errno`
  static long read(int descriptor, MemorySegment into, MemorySegment state) {
    long size = run(() -> (long) READ.invokeExact(state, descriptor, into, into.byteSize()));
    return size < 0 ? -errno(state) : size;
  }

  /// @param state as [#ERRNO_STATE]
  /// @return errno, or 0
  static int flock(int descriptor, int operation, MemorySegment state) {
    long result = run(() -> (int) FLOCK.invokeExact(state, descriptor, operation));
    return result == 0 ? 0 : errno(state);
  }

  private static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  static long write(int descriptor, MemorySegment from) {
    return run(() -> (long) WRITE.invokeExact(descriptor, from, from.byteSize()));
  }

  static int close(int descriptor) {
    return (int) run(() -> (int) CLOSE.invokeExact(descriptor));
  }

  private interface Call {
    long run() throws Throwable;
  }

  private static long run(Call call) {
    try {
      return call.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a downcall throws nothing", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(String name, MemoryLayout result, MemoryLayout... parameters) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, parameters));
  }

  @SuppressWarnings("restricted")
  private static MethodHandle withErrno(String name, FunctionDescriptor descriptor) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        descriptor,
        Linker.Option.captureCallState("errno"));
  }
}
