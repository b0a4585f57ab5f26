/// The session with the driver: NVML is open while the node may use it, device nodes are there, and
/// what is known of the health of the GPUs outlives the agent.
@NullMarked
package dev.pitcrew.agent.gpu;

import org.jspecify.annotations.NullMarked;
