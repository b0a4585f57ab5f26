package dev.pitcrew.device.inventory;

/// Where a GPU instance lies on its GPU (nvmlGpuInstanceInfo_t).
///
/// @param profileId the driver's id of the GPU instance profile, such as 19 for `1g.5gb`
/// @param start the first memory slice, counted from 0
/// @param slices the number of memory slices
public record MigPlacement(int profileId, int start, int slices) {}
