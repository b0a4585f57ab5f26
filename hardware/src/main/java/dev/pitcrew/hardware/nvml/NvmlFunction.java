package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One function of the library, found when it is first called under the first of its names that the
/// library has.
///
/// A name that is not there answers as NVML itself would: [NvmlError#FUNCTION_NOT_FOUND].
final class NvmlFunction {
  private static final int SUCCESS = 0;

  private final Table library;
  private final List<String> names;
  private final FunctionDescriptor shape;
  private volatile @Nullable MethodHandle handle;

  /// @param names the newest first
  private NvmlFunction(Table library, List<String> names, MemoryLayout... parameters) {
    this.library = library;
    this.names = names;
    this.shape = FunctionDescriptor.of(JAVA_INT, parameters);
  }

  /// The newest of its names.
  String name() {
    return names.getFirst();
  }

  /// What came of a call that returned `code`.
  <T> Answer<T> answer(int code, Supplier<T> value) {
    if (code == SUCCESS) {
      return new Answer.Value<>(value.get());
    }
    return switch (NvmlError.of(code)) {
      case NOT_SUPPORTED, FUNCTION_NOT_FOUND -> new Answer.NotSupported<>(name());
      case NvmlError error -> new Answer.Failed<>(error, name());
    };
  }

  /// As [#answer], of a value that is refused where it is empty.
  <T> Answer<T> plausible(int code, Supplier<Optional<T>> value) {
    return answer(code, value)
        .flatMap(found ->
            found
                .<Answer<T>>map(Answer.Value::new)
                .orElseGet(() -> new Answer.Failed<>(NvmlError.IMPLAUSIBLE, name())));
  }

  int call() {
    return run(() -> (int) bound().invokeExact());
  }

  int call(MemorySegment one) {
    return run(() -> (int) bound().invokeExact(one));
  }

  int call(MemorySegment one, int two) {
    return run(() -> (int) bound().invokeExact(one, two));
  }

  int call(int one, MemorySegment two) {
    return run(() -> (int) bound().invokeExact(one, two));
  }

  int call(MemorySegment one, MemorySegment two) {
    return run(() -> (int) bound().invokeExact(one, two));
  }

  int call(MemorySegment one, MemorySegment two, int three) {
    return run(() -> (int) bound().invokeExact(one, two, three));
  }

  int call(MemorySegment one, int two, MemorySegment three) {
    return run(() -> (int) bound().invokeExact(one, two, three));
  }

  int call(MemorySegment one, long two, MemorySegment three) {
    return run(() -> (int) bound().invokeExact(one, two, three));
  }

  int call(MemorySegment one, MemorySegment two, MemorySegment three) {
    return run(() -> (int) bound().invokeExact(one, two, three));
  }

  int call(MemorySegment one, MemorySegment two, MemorySegment three, long four) {
    return run(() -> (int) bound().invokeExact(one, two, three, four));
  }

  int call(MemorySegment one, int two, MemorySegment three, MemorySegment four) {
    return run(() -> (int) bound().invokeExact(one, two, three, four));
  }

  int call(MemorySegment one, int two, int three, MemorySegment four) {
    return run(() -> (int) bound().invokeExact(one, two, three, four));
  }

  int call(MemorySegment one, int two, int three, int four, MemorySegment five) {
    return run(() -> (int) bound().invokeExact(one, two, three, four, five));
  }

  int call(MemorySegment one, int two, MemorySegment three, int four) {
    return run(() -> (int) bound().invokeExact(one, two, three, four));
  }

  int call(MemorySegment one, MemorySegment two, int three, MemorySegment four) {
    return run(() -> (int) bound().invokeExact(one, two, three, four));
  }

  /// As [#call()], for the end of the library, when no other call is inside.
  int lastCall() {
    return invoke(() -> (int) bound().invokeExact());
  }

  private interface Invocation {
    int run() throws Throwable;
  }

  /// A late caller finds NVML shut down.
  private int run(Invocation invocation) {
    if (!library.gate().enter()) {
      return NvmlError.UNINITIALIZED.code();
    }
    try {
      return invoke(invocation);
    } finally {
      library.gate().leave();
    }
  }

  private static int invoke(Invocation invocation) {
    try {
      return invocation.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a downcall throws nothing", e);
    }
  }

  private MethodHandle bound() {
    var known = handle;
    if (known == null) {
      known = resolve();
      handle = known;
    }
    return known;
  }

  @SuppressWarnings("restricted")
  private MethodHandle resolve() {
    return names.stream()
        .flatMap(name -> library.symbols().find(name).stream())
        .findFirst()
        .map(symbol -> Linker.nativeLinker().downcallHandle(symbol, shape))
        .orElseGet(this::absent);
  }

  private MethodHandle absent() {
    var constant = MethodHandles.constant(int.class, NvmlError.FUNCTION_NOT_FOUND.code());
    return MethodHandles.dropArguments(constant, 0, shape.toMethodType().parameterList());
  }

  /// Makes the functions of one library, by the shape of their parameters.
  ///
  /// @param gate through which every call goes
  /// @param onFunction is given the names of each function that is made
  record Table(SymbolLookup symbols, CallGate gate, Consumer<List<String>> onFunction) {
    Table(SymbolLookup symbols, CallGate gate) {
      this(symbols, gate, _ -> {});
    }

    NvmlFunction of(List<String> names, MemoryLayout... parameters) {
      onFunction.accept(names);
      return new NvmlFunction(this, names, parameters);
    }

    /// A function that writes what it knows of a handle to one place.
    NvmlFunction reader(String... names) {
      return of(List.of(names), ADDRESS, ADDRESS);
    }

    /// A function that writes text of limited length.
    NvmlFunction textReader(String name) {
      return of(List.of(name), ADDRESS, ADDRESS, JAVA_INT);
    }

    /// A function that takes a number besides the handle.
    NvmlFunction indexed(String... names) {
      return of(List.of(names), ADDRESS, JAVA_INT, ADDRESS);
    }

    /// A function that writes to two places, or takes two handles.
    NvmlFunction pair(String... names) {
      return of(List.of(names), ADDRESS, ADDRESS, ADDRESS);
    }
  }
}
