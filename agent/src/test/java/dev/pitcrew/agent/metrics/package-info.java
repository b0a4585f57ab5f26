@NullMarked
package dev.pitcrew.agent.metrics;

import org.jspecify.annotations.NullMarked;
