/// The operator as users meet it: a process of its own, with the rights that the chart gives it, on
/// a real control plane with pretended kubelets.
@NullMarked
package dev.pitcrew.operator.scenario;

import org.jspecify.annotations.NullMarked;
