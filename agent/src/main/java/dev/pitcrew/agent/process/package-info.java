/// The node agent as a process: watches and controllers update the state of the node, and each
/// controller reconciles when its projection of that state has changed. No controller knows
/// another.
@NullMarked
package dev.pitcrew.agent.process;

import org.jspecify.annotations.NullMarked;
