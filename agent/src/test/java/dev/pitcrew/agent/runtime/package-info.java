@NullMarked
package dev.pitcrew.agent.runtime;

import org.jspecify.annotations.NullMarked;
