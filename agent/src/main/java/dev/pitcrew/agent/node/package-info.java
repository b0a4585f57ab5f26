/// What is known of the node: follows the driver and the GPUs and tells each new snapshot. It
/// decides nothing; whoever acts on a snapshot is a concern in a package of its own.
@NullMarked
package dev.pitcrew.agent.node;

import org.jspecify.annotations.NullMarked;
