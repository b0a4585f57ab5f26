package dev.pitcrew.device.inventory;

/// What the driver says of itself.
///
/// @param driver such as `550.163.01` (nvmlSystemGetDriverVersion)
/// @param cudaMajor of the newest CUDA that the driver supports (nvmlSystemGetCudaDriverVersion)
public record DriverVersion(String driver, int cudaMajor, int cudaMinor) {}
