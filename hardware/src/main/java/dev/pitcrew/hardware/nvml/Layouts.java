package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// NVML's structures on 64-bit Linux, with the names of its header.
final class Layouts {
  private static final int VERSION_SHIFT = 24;

  static final StructLayout PCI_INFO =
      structLayout(
              text("busIdLegacy", 16),
              number("domain"),
              number("bus"),
              number("device"),
              number("pciDeviceId"),
              number("pciSubSystemId"),
              text("busId", 32))
          .withName("nvmlPciInfo_t");

  static final StructLayout MEMORY =
      structLayout(size("total"), size("free"), size("used")).withName("nvmlMemory_t");

  static final StructLayout EVENT_DATA =
      structLayout(
              pointer("device"),
              size("eventType"),
              size("eventData"),
              number("gpuInstanceId"),
              number("computeInstanceId"))
          .withName("nvmlEventData_t");

  static final StructLayout DEVICE_ATTRIBUTES =
      structLayout(
              number("multiprocessorCount"),
              number("sharedCopyEngineCount"),
              number("sharedDecoderCount"),
              number("sharedEncoderCount"),
              number("sharedJpegCount"),
              number("sharedOfaCount"),
              number("gpuInstanceSliceCount"),
              number("computeInstanceSliceCount"),
              size("memorySizeMB"))
          .withName("nvmlDeviceAttributes_t");

  static final StructLayout GPU_INSTANCE_PROFILE_INFO =
      structLayout(
              number("id"),
              number("isP2pSupported"),
              number("sliceCount"),
              number("instanceCount"),
              number("multiprocessorCount"),
              number("copyEngineCount"),
              number("decoderCount"),
              number("encoderCount"),
              number("jpegCount"),
              number("ofaCount"),
              size("memorySizeMB"))
          .withName("nvmlGpuInstanceProfileInfo_t");

  static final StructLayout GPU_INSTANCE_INFO =
      structLayout(
              pointer("device"),
              number("id"),
              number("profileId"),
              structLayout(number("start"), number("size")).withName("placement"))
          .withName("nvmlGpuInstanceInfo_t");

  static final StructLayout GPU_INSTANCE_PLACEMENT =
      structLayout(number("start"), number("size")).withName("nvmlGpuInstancePlacement_t");

  static final StructLayout PROCESS_INFO =
      structLayout(
              number("pid"),
              paddingLayout(4),
              size("usedGpuMemory"),
              number("gpuInstanceId"),
              number("computeInstanceId"))
          .withName("nvmlProcessInfo_t");

  static final StructLayout PROCESS_UTILIZATION_SAMPLE =
      structLayout(
              number("pid"),
              paddingLayout(4),
              size("timeStamp"),
              number("smUtil"),
              number("memUtil"),
              number("encUtil"),
              number("decUtil"))
          .withName("nvmlProcessUtilizationSample_t");

  static final StructLayout COMPUTE_INSTANCE_PROFILE_INFO =
      structLayout(
              number("id"),
              number("sliceCount"),
              number("instanceCount"),
              number("multiprocessorCount"),
              number("sharedCopyEngineCount"),
              number("sharedDecoderCount"),
              number("sharedEncoderCount"),
              number("sharedJpegCount"),
              number("sharedOfaCount"))
          .withName("nvmlComputeInstanceProfileInfo_t");

  static final StructLayout COMPUTE_INSTANCE_INFO =
      structLayout(
              pointer("device"),
              pointer("gpuInstance"),
              number("id"),
              number("profileId"),
              structLayout(number("start"), number("size")).withName("placement"))
          .withName("nvmlComputeInstanceInfo_t");

  static final StructLayout FABRIC_INFO =
      structLayout(
              text("clusterUuid", 16),
              number("status"),
              number("cliqueId"),
              JAVA_BYTE.withName("state"),
              paddingLayout(3))
          .withName("nvmlGpuFabricInfo_t");

  static final StructLayout FABRIC_INFO_V2 =
      structLayout(
              number("version"),
              text("clusterUuid", 16),
              number("status"),
              number("cliqueId"),
              JAVA_BYTE.withName("state"),
              paddingLayout(3),
              number("healthMask"))
          .withName("nvmlGpuFabricInfo_v2_t");

  static final StructLayout PLATFORM_INFO_V2 =
      structLayout(
              number("version"),
              text("ibGuid", 16),
              text("chassisSerialNumber", 16),
              JAVA_BYTE.withName("slotNumber"),
              JAVA_BYTE.withName("trayIndex"),
              JAVA_BYTE.withName("hostId"),
              JAVA_BYTE.withName("peerType"),
              JAVA_BYTE.withName("moduleId"),
              paddingLayout(3))
          .withName("nvmlPlatformInfo_v2_t");

  static final StructLayout ADDRESSING_MODE =
      structLayout(number("version"), number("value")).withName("nvmlDeviceAddressingMode_t");

  static final StructLayout MEMORY_V2 =
      structLayout(
              number("version"),
              paddingLayout(4),
              size("total"),
              size("reserved"),
              size("free"),
              size("used"))
          .withName("nvmlMemory_v2_t");

  /// The value is a union, of which whole numbers are read.
  static final StructLayout FIELD_VALUE =
      structLayout(
              number("fieldId"),
              number("scopeId"),
              size("timestamp"),
              size("latencyUsec"),
              number("valueType"),
              number("nvmlReturn"),
              size("value"))
          .withName("nvmlFieldValue_t");

  /// The port that is asked for, then the return code, the type and the value.
  static final StructLayout PRM_COUNTER =
      structLayout(number("counterId"), number("inData"), text("counterValue", 16))
          .withName("nvmlPRMCounter_v1_t");

  static final StructLayout PRM_COUNTER_LIST =
      structLayout(number("numCounters"), paddingLayout(4), pointer("counters"))
          .withName("nvmlPRMCounterList_v1_t");

  static final StructLayout GPM_METRIC =
      structLayout(
              number("metricId"),
              number("nvmlReturn"),
              JAVA_DOUBLE.withName("value"),
              text("metricInfo", 24))
          .withName("nvmlGpmMetric_t");

  /// All of them.
  static final List<StructLayout> ALL =
      List.of(
          PCI_INFO,
          MEMORY,
          EVENT_DATA,
          DEVICE_ATTRIBUTES,
          GPU_INSTANCE_PROFILE_INFO,
          GPU_INSTANCE_INFO,
          GPU_INSTANCE_PLACEMENT,
          PROCESS_INFO,
          PROCESS_UTILIZATION_SAMPLE,
          COMPUTE_INSTANCE_PROFILE_INFO,
          COMPUTE_INSTANCE_INFO,
          FABRIC_INFO,
          FABRIC_INFO_V2,
          PLATFORM_INFO_V2,
          ADDRESSING_MODE,
          MEMORY_V2,
          FIELD_VALUE,
          PRM_COUNTER,
          PRM_COUNTER_LIST,
          GPM_METRIC);

  private Layouts() {}

  /// The value of the field `version` of a versioned structure.
  static int version(StructLayout layout, int version) {
    return (int) layout.byteSize() | version << VERSION_SHIFT;
  }

  /// Where a field begins, in bytes. Worth a constant where it is read again and again: to find it
  /// costs more than a call of NVML.
  static long offset(StructLayout layout, String field) {
    return layout.byteOffset(groupElement(field));
  }

  static int number(MemorySegment struct, StructLayout layout, String field) {
    return struct.get(JAVA_INT, offset(layout, field));
  }

  static long size(MemorySegment struct, StructLayout layout, String field) {
    return struct.get(JAVA_LONG, offset(layout, field));
  }

  static MemorySegment bytes(MemorySegment struct, StructLayout layout, String field) {
    var path = groupElement(field);
    return struct.asSlice(layout.byteOffset(path), layout.select(path).byteSize());
  }

  private static ValueLayout.OfInt number(String name) {
    return JAVA_INT.withName(name);
  }

  private static ValueLayout.OfLong size(String name) {
    return JAVA_LONG.withName(name);
  }

  private static AddressLayout pointer(String name) {
    return ADDRESS.withName(name);
  }

  private static MemoryLayout text(String name, int length) {
    return sequenceLayout(length, JAVA_BYTE).withName(name);
  }
}
