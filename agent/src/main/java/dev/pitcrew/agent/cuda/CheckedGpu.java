package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.CudaOutcome;

/// One GPU and what came of its check.
///
/// @param name as people know it, such as `GPU 3`
/// @param uuid of the GPU, or of the MIG device that was checked in its place
public record CheckedGpu(String name, String uuid, CudaOutcome outcome) {}
