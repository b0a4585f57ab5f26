/// The metrics that the operator publishes: the NVIDIA GPU Operator's under their names
/// (`gpu_operator_*`), the reconcile counter that dashboards of controller-runtime read, ours
/// (`pitcrew_*`) and a few of the process. Callers see typed methods; metric names and label names
/// stay in here.
@NullMarked
package dev.pitcrew.operator.metrics;

import org.jspecify.annotations.NullMarked;
