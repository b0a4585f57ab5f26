@NullMarked
package dev.pitcrew.agent.mig;

import org.jspecify.annotations.NullMarked;
