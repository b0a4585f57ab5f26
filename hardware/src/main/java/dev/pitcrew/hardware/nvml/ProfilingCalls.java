package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// GPU performance monitoring of one GPU: what happened between two samples that NVML keeps for us,
/// of the whole GPU and of each GPU instance. For one thread at a time.
final class ProfilingCalls {
  /// Stands for the whole GPU among the GPU instances.
  static final int WHOLE_GPU = -1;

  private static final int VERSION = 1;
  private static final int SUCCESS = 0;

  /// What the structure of the first header has room for.
  private static final int LEAST_METRICS = 98;

  private static final long COUNT = 4;
  private static final long FIRST_SAMPLE = 8;
  private static final long SECOND_SAMPLE = 16;
  private static final long METRICS = 24;
  private static final long STRIDE = Layouts.GPM_METRIC.byteSize();
  private static final long RETURNED = Layouts.GPM_METRIC.byteOffset(groupElement("nvmlReturn"));
  private static final long VALUE = Layouts.GPM_METRIC.byteOffset(groupElement("value"));

  private final NvmlFunction allocate;
  private final NvmlFunction free;
  private final NvmlFunction sampleGpu;
  private final NvmlFunction sampleInstance;
  private final NvmlFunction metrics;
  private final List<Source.Profiling> wanted;
  private final MemorySegment request;
  private final MemorySegment place;
  private final Map<Integer, Samples> samples = new HashMap<>();

  /// Two samples in turn.
  private static final class Samples {
    private final MemorySegment[] both;
    private int newest;
    private boolean isFirst = true;

    private Samples(MemorySegment one, MemorySegment other) {
      both = new MemorySegment[] {one, other};
    }
  }

  /// @param arena must outlive every call, also one that hangs
  ProfilingCalls(NvmlFunction.Table table, Arena arena, List<Source.Profiling> wanted) {
    allocate = table.of(List.of("nvmlGpmSampleAlloc"), ADDRESS);
    free = table.of(List.of("nvmlGpmSampleFree"), ADDRESS);
    sampleGpu = table.reader("nvmlGpmSampleGet");
    sampleInstance = table.indexed("nvmlGpmMigSampleGet");
    metrics = table.of(List.of("nvmlGpmMetricsGet"), ADDRESS);
    this.wanted = wanted;
    request = arena.allocate(METRICS + STRIDE * Math.max(LEAST_METRICS, wanted.size()), Long.BYTES);
    place = arena.allocate(ADDRESS);
  }

  /// Takes the next sample.
  ///
  /// @param gpuInstance or [#WHOLE_GPU]
  /// @return nvmlReturn_t; on success [#value] gives what happened since the sample before, where
  ///   there was one
  int sample(DeviceHandle gpu, int gpuInstance) {
    if (wanted.isEmpty()) {
      return SUCCESS;
    }
    var pair = samples.computeIfAbsent(gpuInstance, _ -> new Samples(sample(), sample()));
    var next = pair.both[1 - pair.newest];
    if (next.equals(MemorySegment.NULL)) {
      samples.remove(gpuInstance);
      return NvmlError.NOT_SUPPORTED.code();
    }
    int code =
        gpuInstance == WHOLE_GPU
            ? sampleGpu.call(gpu.pointer(), next)
            : sampleInstance.call(gpu.pointer(), gpuInstance, next);
    if (code != SUCCESS) {
      return code;
    }
    pair.newest = 1 - pair.newest;
    return compare(pair);
  }

  private int compare(Samples pair) {
    request.fill((byte) 0);
    for (int i = 0; i < wanted.size(); i++) {
      request.set(JAVA_INT, METRICS + i * STRIDE, wanted.get(i).metric());
      request.set(JAVA_INT, METRICS + i * STRIDE + RETURNED, NvmlError.NO_DATA.code());
    }
    if (pair.isFirst) {
      pair.isFirst = false;
      return SUCCESS;
    }
    request.set(JAVA_INT, 0, VERSION);
    request.set(JAVA_INT, COUNT, wanted.size());
    request.set(ADDRESS, FIRST_SAMPLE, pair.both[1 - pair.newest]);
    request.set(ADDRESS, SECOND_SAMPLE, pair.both[pair.newest]);
    return metrics.call(request);
  }

  /// nvmlReturn_t of a metric after [#sample], by its place among those that are wanted.
  int returned(int metric) {
    return request.get(JAVA_INT, METRICS + metric * STRIDE + RETURNED);
  }

  /// A metric whose [#returned] is success.
  double value(int metric) {
    return request.get(JAVA_DOUBLE, METRICS + metric * STRIDE + VALUE);
  }

  /// Gives back the samples of all other GPU instances, which may be gone.
  void keepOnly(Set<Integer> gpuInstances) {
    samples
        .entrySet()
        .removeIf(entry -> {
          boolean isGone = !gpuInstances.contains(entry.getKey());
          if (isGone) {
            giveBack(entry.getValue());
          }
          return isGone;
        });
  }

  private void giveBack(Samples pair) {
    for (MemorySegment sample : pair.both) {
      if (!Objects.equals(sample, MemorySegment.NULL)) {
        free.call(sample);
      }
    }
  }

  private MemorySegment sample() {
    return allocate.call(place) == SUCCESS
        ? MemorySegment.ofAddress(place.get(ADDRESS, 0).address())
        : MemorySegment.NULL;
  }
}
