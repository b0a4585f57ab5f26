/// What the agent does about unhealthy GPUs: resets, Events of the pods that hold them, the taint
/// and the condition of the Node.
@NullMarked
package dev.pitcrew.agent.unhealthy;

import org.jspecify.annotations.NullMarked;
