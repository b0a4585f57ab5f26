/// Keeps the GPUNode up to date with the node.
@NullMarked
package dev.pitcrew.agent.status;

import org.jspecify.annotations.NullMarked;
