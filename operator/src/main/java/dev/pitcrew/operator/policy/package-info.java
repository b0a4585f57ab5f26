/// Decides what a ClusterPolicy comes to: which policy is in force, what must exist, what must go,
/// and what its status says. Pure: the runtime gathers the facts and carries the plan out.
@NullMarked
package dev.pitcrew.operator.policy;

import org.jspecify.annotations.NullMarked;
