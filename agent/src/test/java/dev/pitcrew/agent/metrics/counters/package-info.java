@NullMarked
package dev.pitcrew.agent.metrics.counters;

import org.jspecify.annotations.NullMarked;
