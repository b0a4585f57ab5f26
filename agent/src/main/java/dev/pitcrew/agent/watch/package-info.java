/// What is observed of the cluster and of the host around the GPUs.
@NullMarked
package dev.pitcrew.agent.watch;

import org.jspecify.annotations.NullMarked;
