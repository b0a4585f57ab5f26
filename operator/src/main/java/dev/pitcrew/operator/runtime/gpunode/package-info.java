/// The GPUNodes, in which agents say what their nodes have: one watch for all who read them.
@NullMarked
package dev.pitcrew.operator.runtime.gpunode;

import org.jspecify.annotations.NullMarked;
