/// What is to be written into the configuration of a node's container runtime, and how it is taken
/// out again: texts in, texts out. A runtime is a file each; none of them knows where the texts
/// come from.
@NullMarked
package dev.pitcrew.agent.runtime.plan;

import org.jspecify.annotations.NullMarked;
