package dev.pitcrew.hardware.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/// Adds two vectors on one GPU, by a kernel that the driver compiles for it, and compares every sum
/// (CUDA driver API). It takes a few KiB of the GPU's memory besides the context.
public final class VectorSum {
  private static final String KERNEL = "pitcrew_vector_sum";
  private static final String PTX = "vector_sum.ptx";
  private static final int ELEMENTS = 1024;
  private static final int THREADS = 256;
  private static final long BYTES = ELEMENTS * JAVA_FLOAT.byteSize();
  private static final int LOG_BYTES = 1024;
  private static final int JIT_ERROR_LOG_BUFFER = 5;
  private static final int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

  private final CudaLibrary cuda;
  private final Arena arena;
  private final MemorySegment log;

  private VectorSum(CudaLibrary cuda, Arena arena) {
    this.cuda = cuda;
    this.arena = arena;
    this.log = arena.allocate(LOG_BYTES);
  }

  /// @param library the path of libcuda, or its bare name
  /// @param uuid of the GPU or the MIG device, as NVML reports it
  public static CudaOutcome on(String library, String uuid) {
    Optional<CudaLibrary> cuda = CudaLibrary.open(library);
    if (cuda.isEmpty()) {
      return new CudaOutcome.LibraryMissing(library);
    }
    try (var arena = Arena.ofConfined()) {
      return new VectorSum(cuda.get(), arena).outcome(uuid);
    }
  }

  private CudaOutcome outcome(String uuid) {
    try {
      cuda.call("cuInit", 0);
      MemorySegment version = arena.allocate(JAVA_INT);
      cuda.call("cuDriverGetVersion", version);
      return sum(CudaDevice.of(cuda, arena, uuid), version.get(JAVA_INT, 0));
    } catch (CudaRefusal refusal) {
      return refusal.error().isBusy()
          ? new CudaOutcome.Busy(refusal.error(), refusal.call())
          : new CudaOutcome.Failed(refusal.error(), refusal.call(), detail());
    }
  }

  private CudaOutcome sum(CudaDevice device, int cudaVersion) throws CudaRefusal {
    MemorySegment context = arena.allocate(ADDRESS);
    cuda.call("cuDevicePrimaryCtxRetain", context, device.number());
    cuda.call("cuCtxSetCurrent", context.get(ADDRESS, 0));
    MemorySegment module = module();
    MemorySegment sums = sums(module);
    cuda.call("cuModuleUnload", module);
    cuda.call("cuDevicePrimaryCtxRelease_v2", device.number());
    return compared(sums, cudaVersion);
  }

  private MemorySegment module() throws CudaRefusal {
    MemorySegment module = arena.allocate(ADDRESS);
    MemorySegment options = arena.allocate(JAVA_INT, 2);
    options.setAtIndex(JAVA_INT, 0, JIT_ERROR_LOG_BUFFER);
    options.setAtIndex(JAVA_INT, 1, JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    // A value that is a number lies in the pointer itself.
    MemorySegment values = arena.allocate(ADDRESS, 2);
    values.setAtIndex(ADDRESS, 0, log);
    values.setAtIndex(ADDRESS, 1, MemorySegment.ofAddress(LOG_BYTES));
    cuda.call("cuModuleLoadDataEx", module, arena.allocateFrom(ptx()), 2, options, values);
    return module.get(ADDRESS, 0);
  }

  private MemorySegment sums(MemorySegment module) throws CudaRefusal {
    MemorySegment kernel = arena.allocate(ADDRESS);
    cuda.call("cuModuleGetFunction", kernel, module, arena.allocateFrom(KERNEL));
    long one = onDevice(ones());
    long other = onDevice(others());
    long target = onDevice(arena.allocate(BYTES));
    cuda.call(
        "cuLaunchKernel",
        kernel.get(ADDRESS, 0),
        ELEMENTS / THREADS,
        1,
        1,
        THREADS,
        1,
        1,
        0,
        MemorySegment.NULL,
        parameters(one, other, target),
        MemorySegment.NULL);
    cuda.call("cuCtxSynchronize");
    MemorySegment sums = arena.allocate(BYTES);
    cuda.call("cuMemcpyDtoH_v2", sums, target, BYTES);
    for (long buffer : new long[] {one, other, target}) {
      cuda.call("cuMemFree_v2", buffer);
    }
    return sums;
  }

  private long onDevice(MemorySegment values) throws CudaRefusal {
    MemorySegment address = arena.allocate(JAVA_LONG);
    cuda.call("cuMemAlloc_v2", address, BYTES);
    long buffer = address.get(JAVA_LONG, 0);
    cuda.call("cuMemcpyHtoD_v2", buffer, values, BYTES);
    return buffer;
  }

  /// Where each parameter of the kernel lies.
  private MemorySegment parameters(long one, long other, long target) {
    MemorySegment pointers = arena.allocate(ADDRESS, 4);
    pointers.setAtIndex(ADDRESS, 0, arena.allocateFrom(JAVA_LONG, one));
    pointers.setAtIndex(ADDRESS, 1, arena.allocateFrom(JAVA_LONG, other));
    pointers.setAtIndex(ADDRESS, 2, arena.allocateFrom(JAVA_LONG, target));
    pointers.setAtIndex(ADDRESS, 3, arena.allocateFrom(JAVA_INT, ELEMENTS));
    return pointers;
  }

  private MemorySegment ones() {
    MemorySegment values = arena.allocate(BYTES);
    for (int i = 0; i < ELEMENTS; i++) {
      values.setAtIndex(JAVA_FLOAT, i, one(i));
    }
    return values;
  }

  private MemorySegment others() {
    MemorySegment values = arena.allocate(BYTES);
    for (int i = 0; i < ELEMENTS; i++) {
      values.setAtIndex(JAVA_FLOAT, i, other(i));
    }
    return values;
  }

  /// Small multiples of a quarter, whose sums are exact in binary32.
  private static float one(int element) {
    return 1 + element * 0.25f;
  }

  private static float other(int element) {
    return 3 * element + 0.5f;
  }

  private static CudaOutcome compared(MemorySegment sums, int cudaVersion) {
    for (int i = 0; i < ELEMENTS; i++) {
      float expected = one(i) + other(i);
      float actual = sums.getAtIndex(JAVA_FLOAT, i);
      if (Float.compare(expected, actual) != 0) {
        return new CudaOutcome.WrongSum(i, expected, actual);
      }
    }
    return new CudaOutcome.Passed(ELEMENTS, cudaVersion);
  }

  /// What the JIT compiler said; empty where it was not asked or said nothing.
  private String detail() {
    byte[] bytes = log.toArray(JAVA_BYTE);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8).strip();
  }

  private static String ptx() {
    try (InputStream in = Objects.requireNonNull(VectorSum.class.getResourceAsStream(PTX), PTX)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + PTX, e);
    }
  }
}
