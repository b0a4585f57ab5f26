/// The settings of the metrics of GPUs, as the exporter of NVIDIA has them. Pure.
@NullMarked
package dev.pitcrew.agent.metrics.plan;

import org.jspecify.annotations.NullMarked;
