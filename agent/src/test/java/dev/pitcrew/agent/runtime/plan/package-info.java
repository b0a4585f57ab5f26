@NullMarked
package dev.pitcrew.agent.runtime.plan;

import org.jspecify.annotations.NullMarked;
