package dev.pitcrew.device.inventory;

/// The ids under which NVML and the driver know a MIG device within its GPU.
public record MigPlace(int gpuInstance, int computeInstance) {}
