package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.EventSetHandle;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Registers the GPUs of a node with one event set, each on its lane.
final class WatchRegistration {
  private static final String REGISTERING = "registering for events";

  private final NvmlLibrary nvml;
  private final IntFunction<Lane> lanes;
  private final EventSetHandle set;

  /// @param registration the events that will be reported, as a mask
  private record Registered(DeviceHandle handle, String uuid, Answer<Long> registration) {}

  WatchRegistration(NvmlLibrary nvml, IntFunction<Lane> lanes, EventSetHandle set) {
    this.nvml = nvml;
    this.lanes = lanes;
    this.set = set;
  }

  /// Registers all GPUs that answer within `timeout`.
  GpuWatch.Watched register(int gpuCount, Duration timeout) {
    var jobs = IntStream.range(0, gpuCount).mapToObj(this::begin).toList();
    var uuids = new HashMap<DeviceHandle, String>();
    var unwatched = new ArrayList<Unwatched>();
    for (int index = 0; index < gpuCount; index++) {
      var job = jobs.get(index);
      switch (job.within(timeout).orElseGet(job::giveUp)) {
        case Answer.Value(var found) -> {
          uuids.put(found.handle(), found.uuid());
          unwatched.addAll(refusal(index, Optional.of(found.uuid()), found.registration()));
        }
        case Answer<Registered> none -> unwatched.addAll(refusal(index, Optional.empty(), none));
      }
    }
    boolean isInUse = jobs.stream().anyMatch(Job::isRunning);
    return new GpuWatch.Watched(set, isInUse, uuids, unwatched);
  }

  private Job<Registered> begin(int index) {
    return lanes.apply(index).begin(REGISTERING, () -> register(nvml.driver().deviceAt(index)));
  }

  private Answer<Registered> register(Answer<DeviceHandle> handle) {
    return handle.flatMap(device ->
        nvml.devices().uuid(device).map(uuid -> new Registered(device, uuid, register(device))));
  }

  private Answer<Long> register(DeviceHandle device) {
    return nvml.events()
        .supportedTypes(device)
        .map(supported -> supported & EventType.mask())
        .flatMap(mask ->
            mask == 0
                ? new Answer.NotSupported<>(REGISTERING)
                : nvml.events().register(device, mask, set));
  }

  private static List<Unwatched> refusal(int index, Optional<String> uuid, Answer<?> answer) {
    return answer instanceof Answer.Value
        ? List.of()
        : List.of(
            new Unwatched(index, uuid, !(answer instanceof Answer.NotSupported), answer.reason()));
  }
}
