/// Keeps the ResourceSlices of the node as its devices are. It never touches the slices of other
/// drivers or nodes, and it allocates nothing: that is the scheduler's.
@NullMarked
package dev.pitcrew.agent.dra.slices;

import org.jspecify.annotations.NullMarked;
