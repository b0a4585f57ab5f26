/// Divides the GPUs of a node as a plan says: step by step, each judged by what the GPU then shows,
/// with a way back. Whenever it ends, be it killed, the GPUs are as they are wanted, or as they
/// were, or the next run makes them so.
@NullMarked
package dev.pitcrew.agent.mig.change;

import org.jspecify.annotations.NullMarked;
