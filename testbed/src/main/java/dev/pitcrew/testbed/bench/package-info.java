/// Benchmarks of the operator: one operator process against a real control plane with simulated
/// nodes, measured from outside, by the API server's audit log, by `/proc` and by watches.
///
/// Owns the measuring and the tables. Never touches the operator's code: the operator is the
/// program that users run, with the flags that it ships with.
@NullMarked
package dev.pitcrew.testbed.bench;

import org.jspecify.annotations.NullMarked;
