package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/// Waiting for what happens on GPUs.
public final class EventCalls {
  private static final int NONE = 0xFFFFFFFF;

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

  /// The next event. Fails with [NvmlError#TIMEOUT] where nothing happens within `patience`.
  public Answer<NvmlEvent> next(EventSetHandle set, Duration patience) {
    try (var arena = Arena.ofConfined()) {
      var data = arena.allocate(Layouts.EVENT_DATA);
      // The older function leaves them as they are.
      data.set(JAVA_INT, offset("gpuInstanceId"), NONE);
      data.set(JAVA_INT, offset("computeInstanceId"), NONE);
      int code = await.call(set.pointer(), data, (int) patience.toMillis());
      return await.answer(code, () -> event(data));
    }
  }

  private static NvmlEvent event(MemorySegment data) {
    return new NvmlEvent(
        new DeviceHandle(data.get(ADDRESS, offset("device")).address()),
        Layouts.size(data, Layouts.EVENT_DATA, "eventType"),
        Layouts.size(data, Layouts.EVENT_DATA, "eventData"),
        instance(data, "gpuInstanceId"),
        instance(data, "computeInstanceId"));
  }

  private static OptionalInt instance(MemorySegment data, String field) {
    int id = Layouts.number(data, Layouts.EVENT_DATA, field);
    return id == NONE ? OptionalInt.empty() : OptionalInt.of(id);
  }

  private static long offset(String field) {
    return Layouts.EVENT_DATA.byteOffset(PathElement.groupElement(field));
  }
}
