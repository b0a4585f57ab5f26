/// Proves that a GPU computes: a vector sum through libcuda, compiled by the driver on the spot.
///
/// To be used in a process of its own, which ends afterwards: libcuda keeps what it holds for the
/// life of a process, and may hang or crash it.
@NullMarked
package dev.pitcrew.hardware.cuda;

import org.jspecify.annotations.NullMarked;
