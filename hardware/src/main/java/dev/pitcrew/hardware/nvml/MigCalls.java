package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigAttributes.Engines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// What NVML reports about a GPU that can be divided and about its MIG devices.
public final class MigCalls {
  private final NvmlFunction mode;
  private final NvmlFunction maxDevices;
  private final NvmlFunction deviceByIndex;
  private final NvmlFunction gpuInstanceId;
  private final NvmlFunction computeInstanceId;
  private final NvmlFunction attributes;

  MigCalls(NvmlFunction.Table functions) {
    mode = functions.pair("nvmlDeviceGetMigMode");
    maxDevices = functions.reader("nvmlDeviceGetMaxMigDeviceCount");
    deviceByIndex = functions.indexed("nvmlDeviceGetMigDeviceHandleByIndex");
    gpuInstanceId = functions.reader("nvmlDeviceGetGpuInstanceId");
    computeInstanceId = functions.reader("nvmlDeviceGetComputeInstanceId");
    attributes = functions.reader("nvmlDeviceGetAttributes_v2", "nvmlDeviceGetAttributes");
  }

  /// Not supported where the GPU cannot be divided.
  public Answer<MigMode> mode(DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var current = arena.allocate(JAVA_INT);
      var pending = arena.allocate(JAVA_INT);
      int code = mode.call(gpu.pointer(), current, pending);
      return mode.answer(
          code, () -> new MigMode(current.get(JAVA_INT, 0) == 1, pending.get(JAVA_INT, 0) == 1));
    }
  }

  /// How many MIG indexes there can be.
  public Answer<Integer> maxDeviceCount(DeviceHandle gpu) {
    return number(maxDevices, gpu);
  }

  /// Fails with [NvmlError#NOT_FOUND] where the index is free.
  public Answer<DeviceHandle> deviceAt(DeviceHandle gpu, int index) {
    try (var arena = Arena.ofConfined()) {
      var handle = arena.allocate(ADDRESS);
      int code = deviceByIndex.call(gpu.pointer(), index, handle);
      return deviceByIndex.answer(code, () -> new DeviceHandle(handle.get(ADDRESS, 0).address()));
    }
  }

  public Answer<Integer> gpuInstanceId(DeviceHandle migDevice) {
    return number(gpuInstanceId, migDevice);
  }

  public Answer<Integer> computeInstanceId(DeviceHandle migDevice) {
    return number(computeInstanceId, migDevice);
  }

  public Answer<MigAttributes> attributes(DeviceHandle migDevice) {
    try (var arena = Arena.ofConfined()) {
      var found = arena.allocate(Layouts.DEVICE_ATTRIBUTES);
      int code = attributes.call(migDevice.pointer(), found);
      return attributes.answer(code, () -> attributes(found));
    }
  }

  private static MigAttributes attributes(MemorySegment found) {
    return new MigAttributes(
        field(found, "multiprocessorCount"),
        field(found, "gpuInstanceSliceCount"),
        field(found, "computeInstanceSliceCount"),
        new Engines(
            field(found, "sharedCopyEngineCount"),
            field(found, "sharedDecoderCount"),
            field(found, "sharedEncoderCount"),
            field(found, "sharedJpegCount"),
            field(found, "sharedOfaCount")),
        Layouts.size(found, Layouts.DEVICE_ATTRIBUTES, "memorySizeMB"));
  }

  private static int field(MemorySegment found, String name) {
    return Layouts.number(found, Layouts.DEVICE_ATTRIBUTES, name);
  }

  private static Answer<Integer> number(NvmlFunction function, DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var number = arena.allocate(JAVA_INT);
      int code = function.call(device.pointer(), number);
      return function.plausible(code, () -> Numbers.small(number.get(JAVA_INT, 0)));
    }
  }
}
