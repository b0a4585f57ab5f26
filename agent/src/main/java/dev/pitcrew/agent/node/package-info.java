/// What is known of the node: follows the driver and the GPUs and reports each new snapshot. It
/// decides nothing; the controllers that act on a snapshot are in packages of their own.
@NullMarked
package dev.pitcrew.agent.node;

import org.jspecify.annotations.NullMarked;
