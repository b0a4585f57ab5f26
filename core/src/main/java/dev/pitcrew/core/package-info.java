/// What every program of Pitcrew shares and what needs no I/O: outcomes of a reconcile, digests,
/// names.
@NullMarked
package dev.pitcrew.core;

import org.jspecify.annotations.NullMarked;
