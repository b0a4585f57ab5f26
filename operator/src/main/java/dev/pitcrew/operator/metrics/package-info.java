/// The numbers that the operator publishes: those of the reference under their names
/// (`gpu_operator_*`), the reconcile counter that dashboards of controller-runtime read, ours
/// (`pitcrew_*`) and a few of the process. Callers see typed methods; metric names and label names
/// stay in here.
@NullMarked
package dev.pitcrew.operator.metrics;

import org.jspecify.annotations.NullMarked;
