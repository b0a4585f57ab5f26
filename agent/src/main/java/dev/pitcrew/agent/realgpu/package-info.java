/// Checks Pitcrew against the GPUs and the driver library of one machine and writes down what
/// differs from what the simulator and the bindings say. For a machine that is in no cluster.
///
/// It reads, and runs the agent's own programs. It changes no setting of a GPU.
@NullMarked
package dev.pitcrew.agent.realgpu;

import org.jspecify.annotations.NullMarked;
