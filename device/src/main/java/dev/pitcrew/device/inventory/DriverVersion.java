package dev.pitcrew.device.inventory;

/// The versions that the driver reports.
///
/// @param driver such as `550.163.01` (nvmlSystemGetDriverVersion)
/// @param cudaMajor of the newest CUDA that the driver supports (nvmlSystemGetCudaDriverVersion)
public record DriverVersion(String driver, int cudaMajor, int cudaMinor) {}
