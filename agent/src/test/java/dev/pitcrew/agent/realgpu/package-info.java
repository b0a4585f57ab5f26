@NullMarked
package dev.pitcrew.agent.realgpu;

import org.jspecify.annotations.NullMarked;
