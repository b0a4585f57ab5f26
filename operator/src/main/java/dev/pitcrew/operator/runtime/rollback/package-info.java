/// Rolls back to the former driver if a new one fails: notes on the DaemonSet that its driver was
/// rejected, and applies its former template for as long as that one is wanted.
@NullMarked
package dev.pitcrew.operator.runtime.rollback;

import org.jspecify.annotations.NullMarked;
