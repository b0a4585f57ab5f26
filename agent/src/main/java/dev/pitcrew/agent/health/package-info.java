/// Which GPUs and MIG devices are unhealthy, and when they recover. The input is events, the output
/// a level; nothing here waits for events itself.
@NullMarked
package dev.pitcrew.agent.health;

import org.jspecify.annotations.NullMarked;
