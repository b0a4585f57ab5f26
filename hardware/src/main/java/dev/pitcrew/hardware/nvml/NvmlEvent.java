package dev.pitcrew.hardware.nvml;

import java.util.OptionalInt;

/// Something that happened on a GPU (nvmlEventData_t).
///
/// @param type one bit of nvmlEventType
/// @param data of an Xid event its number
/// @param gpuInstance empty where the event is about the whole GPU
public record NvmlEvent(
    DeviceHandle device,
    long type,
    long data,
    OptionalInt gpuInstance,
    OptionalInt computeInstance) {}
