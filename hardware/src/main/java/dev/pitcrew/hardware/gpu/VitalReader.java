package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.LinkCalls;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Reads the health of a GPU. A value that it does not report is left out; one that cannot be read
/// fails the reading, which without it would say that nothing is wrong.
record VitalReader(NvmlLibrary nvml) {
  private static final List<Vital> IN_FIELDS =
      Arrays.stream(Vital.values()).filter(vital -> vital.field().isPresent()).toList();

  Answer<Vitals> read(int index) {
    return nvml.driver()
        .deviceAt(index)
        .flatMap(gpu -> nvml.devices().uuid(gpu).flatMap(uuid -> read(gpu, uuid)));
  }

  private Answer<Vitals> read(DeviceHandle gpu, String uuid) {
    List<Integer> numbers = IN_FIELDS.stream().map(it -> it.field().orElseThrow()).toList();
    return nvml.fields()
        .values(gpu, numbers)
        .ifNotSupported(Map.of())
        .flatMap(fields ->
            Answer.join(
                nvml.fields().clockEventReasons(gpu).map(List::of).ifNotSupported(List.of()),
                activeLinks(gpu).map(List::of).ifNotSupported(List.of()),
                (reasons, links) -> vitals(uuid, fields, reasons, links)));
  }

  private static Vitals vitals(
      String uuid, Map<Integer, Long> fields, List<Long> reasons, List<Long> links) {
    var values = new EnumMap<Vital, Long>(Vital.class);
    IN_FIELDS.forEach(vital -> {
      Long value = fields.get(vital.field().orElseThrow());
      if (value != null) {
        values.put(vital, value);
      }
    });
    reasons.forEach(value -> values.put(Vital.CLOCK_EVENT_REASONS, value));
    links.forEach(value -> values.put(Vital.ACTIVE_NVLINKS, value));
    return new Vitals(uuid, values);
  }

  /// Links are numbered without gaps; the first that is none ends them.
  private Answer<Long> activeLinks(DeviceHandle gpu) {
    long active = 0;
    for (int link = 0; link < LinkCalls.LINKS; link++) {
      switch (nvml.links().isActive(gpu, link)) {
        case Answer.Value<Boolean>(var isActive) -> active += isActive ? 1 : 0;
        case Answer.Failed<Boolean>(var error, var call)
            when error != NvmlError.INVALID_ARGUMENT -> {
          return Answer.failed(error, call);
        }
        case Answer<Boolean> none -> {
          return link == 0 ? new Answer.NotSupported<>(none.reason()) : Answer.of(active);
        }
      }
    }
    return Answer.of(active);
  }
}
