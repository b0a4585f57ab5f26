/// Which GPUs and MIG devices are sick, and when they are well again. Events come in, a level goes
/// out; nothing here waits for events itself.
@NullMarked
package dev.pitcrew.agent.health;

import org.jspecify.annotations.NullMarked;
