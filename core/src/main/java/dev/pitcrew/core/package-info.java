/// What every program of Pitcrew shares and what needs no I/O: outcomes of a reconcile, how long to
/// wait before the next try, digests, names.
@NullMarked
package dev.pitcrew.core;

import org.jspecify.annotations.NullMarked;
