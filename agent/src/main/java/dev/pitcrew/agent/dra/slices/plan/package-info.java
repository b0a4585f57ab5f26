/// Decides which ResourceSlices are created, updated and deleted: a pure function of the devices of
/// the node and of the slices that there are.
@NullMarked
package dev.pitcrew.agent.dra.slices.plan;

import org.jspecify.annotations.NullMarked;
