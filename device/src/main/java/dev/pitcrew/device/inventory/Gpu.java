package dev.pitcrew.device.inventory;

/// One GPU.
///
/// @param index its NVML index
/// @param minor the number in `/dev/nvidia<minor>`
/// @param uuid such as `GPU-12345678-1234-1234-1234-123456780000`
public record Gpu(
    int index, int minor, String uuid, Board board, PciFunction pci, Mig mig, Fabric fabric) {}
