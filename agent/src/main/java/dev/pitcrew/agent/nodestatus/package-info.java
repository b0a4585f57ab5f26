/// Serves the metrics `gpu_operator_node_*`.
@NullMarked
package dev.pitcrew.agent.nodestatus;

import org.jspecify.annotations.NullMarked;
