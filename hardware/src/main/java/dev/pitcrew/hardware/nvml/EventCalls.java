package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/// Waiting for what happens on GPUs.
public final class EventCalls {
  private static final int NONE = 0xFFFFFFFF;

  private static final long DEVICE = Layouts.offset(Layouts.EVENT_DATA, "device");
  private static final long GPU_INSTANCE = Layouts.offset(Layouts.EVENT_DATA, "gpuInstanceId");
  private static final long COMPUTE_INSTANCE =
      Layouts.offset(Layouts.EVENT_DATA, "computeInstanceId");

  private final NvmlFunction create;
  private final NvmlFunction free;
  private final NvmlFunction await;
  private final NvmlFunction supported;
  private final NvmlFunction register;

  EventCalls(NvmlFunction.Table functions) {
    create = functions.of(List.of("nvmlEventSetCreate"), ADDRESS);
    free = functions.of(List.of("nvmlEventSetFree"), ADDRESS);
    await =
        functions.of(
            List.of("nvmlEventSetWait_v2", "nvmlEventSetWait"), ADDRESS, ADDRESS, JAVA_INT);
    supported = functions.reader("nvmlDeviceGetSupportedEventTypes");
    register = functions.of(List.of("nvmlDeviceRegisterEvents"), ADDRESS, JAVA_LONG, ADDRESS);
  }

  public Answer<EventSetHandle> createSet() {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = create.call(handle);
      return create.answer(code, () -> new EventSetHandle(handle.get(ADDRESS, 0).address()));
    }
  }

  public Answer<Boolean> freeSet(EventSetHandle set) {
    return free.answer(free.call(set.pointer()), () -> true);
  }

  /// The events that a GPU can report, as a mask of nvmlEventType.
  public Answer<Long> supportedTypes(DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var mask = arena.allocate(JAVA_LONG);
      int code = supported.call(gpu.pointer(), mask);
      return supported.answer(code, () -> mask.get(JAVA_LONG, 0));
    }
  }

  /// Adds the events in `mask` of one GPU to a set; returns the mask.
  public Answer<Long> register(DeviceHandle gpu, long mask, EventSetHandle set) {
    int code = register.call(gpu.pointer(), mask, set.pointer());
    return register.answer(code, () -> mask);
  }

  /// Waits for the events of a set, again and again, on the thread that made it.
  public Wait wait(EventSetHandle set) {
    return new Wait(set);
  }

  /// Has its memory and its usual answer once, since a node on which nothing happens does nothing
  /// as often as this.
  public final class Wait implements AutoCloseable {
    private final EventSetHandle set;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment data = arena.allocate(Layouts.EVENT_DATA);
    private final Answer<NvmlEvent> quiet = Answer.failed(NvmlError.TIMEOUT, await.name());

    private Wait(EventSetHandle set) {
      this.set = set;
      forgetInstances();
    }

    /// The next event. Fails with [NvmlError#TIMEOUT] where nothing happens within `timeout`.
    public Answer<NvmlEvent> next(Duration timeout) {
      int code = await.call(set.pointer(), data, (int) timeout.toMillis());
      if (code == NvmlError.TIMEOUT.code()) {
        return quiet;
      }
      var answer = await.answer(code, () -> event(data));
      forgetInstances();
      return answer;
    }

    /// The older function leaves them as they are.
    private void forgetInstances() {
      data.set(JAVA_INT, GPU_INSTANCE, NONE);
      data.set(JAVA_INT, COMPUTE_INSTANCE, NONE);
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private static NvmlEvent event(MemorySegment data) {
    return new NvmlEvent(
        new DeviceHandle(data.get(ADDRESS, DEVICE).address()),
        Layouts.size(data, Layouts.EVENT_DATA, "eventType"),
        Layouts.size(data, Layouts.EVENT_DATA, "eventData"),
        instance(data, GPU_INSTANCE),
        instance(data, COMPUTE_INSTANCE));
  }

  private static OptionalInt instance(MemorySegment data, long offset) {
    int id = data.get(JAVA_INT, offset);
    return id == NONE ? OptionalInt.empty() : OptionalInt.of(id);
  }
}
