package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;

/// What NVML reports about the driver and about the node as a whole.
public final class DriverCalls {
  private static final int VERSION_LENGTH = 80;
  // No node has nearly as many; a larger count is a library that lies.
  private static final int GPU_LIMIT = 256;

  private final NvmlFunction init;
  private final NvmlFunction shutdown;
  private final NvmlFunction driverVersion;
  private final NvmlFunction cudaVersion;
  private final NvmlFunction count;
  private final NvmlFunction handleByIndex;

  DriverCalls(NvmlFunction.Table functions) {
    init = functions.of(List.of("nvmlInit_v2", "nvmlInit"));
    shutdown = functions.of(List.of("nvmlShutdown"));
    driverVersion = functions.of(List.of("nvmlSystemGetDriverVersion"), ADDRESS, JAVA_INT);
    // Not its _v2: that one asks libcuda, which lies beside NVML only in the driver's root.
    cudaVersion = functions.of(List.of("nvmlSystemGetCudaDriverVersion"), ADDRESS);
    count = functions.of(List.of("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"), ADDRESS);
    handleByIndex =
        functions.of(
            List.of("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
            JAVA_INT,
            ADDRESS);
  }

  Answer<Boolean> init() {
    return init.answer(init.call(), () -> true);
  }

  Answer<Boolean> shutdown() {
    return shutdown.answer(shutdown.lastCall(), () -> true);
  }

  /// Such as `550.163.01`.
  public Answer<String> driverVersion() {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(VERSION_LENGTH);
      int code = driverVersion.call(text, VERSION_LENGTH);
      return driverVersion.plausible(code, () -> Texts.version(text));
    }
  }

  /// The newest CUDA version that the driver supports, as CUDA counts: 12040 is 12.4.
  public Answer<Integer> cudaVersion() {
    try (var arena = Arena.ofConfined()) {
      var version = arena.allocate(JAVA_INT);
      int code = cudaVersion.call(version);
      return cudaVersion.plausible(code, () -> within(version.get(JAVA_INT, 0), Integer.MAX_VALUE));
    }
  }

  /// How many GPUs there are, lost ones included.
  public Answer<Integer> deviceCount() {
    try (var arena = Arena.ofConfined()) {
      var found = arena.allocate(JAVA_INT);
      int code = count.call(found);
      return count.plausible(code, () -> within(found.get(JAVA_INT, 0), GPU_LIMIT));
    }
  }

  public Answer<DeviceHandle> deviceAt(int index) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = handleByIndex.call(index, handle);
      return handleByIndex.answer(code, () -> new DeviceHandle(handle.get(ADDRESS, 0).address()));
    }
  }

  private static Optional<Integer> within(int number, int limit) {
    return number >= 0 && number <= limit ? Optional.of(number) : Optional.empty();
  }
}
