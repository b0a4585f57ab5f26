package dev.pitcrew.hardware.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// An opened libcuda, for the few calls of a process that ends afterwards: it is never closed.
final class CudaLibrary {
  private static final int SUCCESS = 0;

  private final SymbolLookup symbols;

  private CudaLibrary(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  /// @param library its path, or a bare name that the dynamic linker looks up
  @SuppressWarnings("restricted")
  static Optional<CudaLibrary> open(String library) {
    try {
      return Optional.of(
          new CudaLibrary(
              library.contains("/")
                  ? SymbolLookup.libraryLookup(Path.of(library), Arena.global())
                  : SymbolLookup.libraryLookup(library, Arena.global())));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  boolean has(String function) {
    return symbols.find(function).isPresent();
  }

  /// Calls a function whose parameters are of the C types that fit the arguments: `int` for an
  /// Integer, `long` for a Long, a pointer for a MemorySegment.
  ///
  /// @throws CudaRefusal unless it succeeds
  void call(String function, Object... arguments) throws CudaRefusal {
    MemorySegment symbol =
        symbols
            .find(function)
            .orElseThrow(() -> new CudaRefusal(CudaError.FUNCTION_MISSING, function));
    int code = invoke(symbol, arguments);
    if (code != SUCCESS) {
      throw new CudaRefusal(CudaError.of(code), function);
    }
  }

  @SuppressWarnings("restricted")
  private static int invoke(MemorySegment symbol, Object... arguments) {
    MemoryLayout[] parameters =
        Arrays.stream(arguments).map(CudaLibrary::layout).toArray(MemoryLayout[]::new);
    var handle =
        Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, parameters));
    try {
      return (Integer) handle.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a downcall throws nothing", e);
    }
  }

  private static MemoryLayout layout(Object argument) {
    return switch (argument) {
      case Integer _ -> JAVA_INT;
      case Long _ -> JAVA_LONG;
      case MemorySegment _ -> ADDRESS;
      default -> throw new IllegalArgumentException(argument + " is no argument for C");
    };
  }
}
