package dev.pitcrew.device.inventory;

/// The two files that open a MIG device: `/dev/nvidia-caps/nvidia-cap<minor>`, as
/// `/proc/driver/nvidia-caps/mig-minors` lists them.
public record MigCapabilities(int gpuInstanceMinor, int computeInstanceMinor) {}
