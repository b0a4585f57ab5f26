@NullMarked
package dev.pitcrew.agent.mig.plan;

import org.jspecify.annotations.NullMarked;
