/// The metrics `gpu_operator_node_*` of NVIDIA's node status exporter, and the conditions of the
/// GPUNode beside them. Pure: it makes a page of what is known.
@NullMarked
package dev.pitcrew.agent.nodestatus.plan;

import org.jspecify.annotations.NullMarked;
