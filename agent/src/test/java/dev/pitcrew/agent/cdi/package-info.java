@NullMarked
package dev.pitcrew.agent.cdi;

import org.jspecify.annotations.NullMarked;
