/// The one way to run the built operator as a process: its program, the flags of its JVM, and the
/// command line of a start, also as a pod has it.
///
/// Owns no process: callers start and end them. Never touches a cluster, and knows the operator by
/// its command line only.
@NullMarked
package dev.pitcrew.testbed.operator;

import org.jspecify.annotations.NullMarked;
