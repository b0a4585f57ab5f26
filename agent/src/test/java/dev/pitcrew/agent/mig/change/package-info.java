@NullMarked
package dev.pitcrew.agent.mig.change;

import org.jspecify.annotations.NullMarked;
