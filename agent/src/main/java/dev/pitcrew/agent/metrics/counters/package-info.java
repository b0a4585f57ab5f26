/// Which metrics there are to be: the counters file of NVIDIA's dcgm-exporter, and the table of all
/// fields that it may name. Pure.
@NullMarked
package dev.pitcrew.agent.metrics.counters;

import org.jspecify.annotations.NullMarked;
