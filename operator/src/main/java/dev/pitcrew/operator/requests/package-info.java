/// Reads pods that wait for GPUs and the nodes that could run them. Whether any ever could is
/// decided in [dev.pitcrew.core.requests]; the runtime watches and sends the Events.
@NullMarked
package dev.pitcrew.operator.requests;

import org.jspecify.annotations.NullMarked;
