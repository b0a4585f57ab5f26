/// What sharing by MPS asks of a node's GPUs: which control daemons, and with which limits.
@NullMarked
package dev.pitcrew.device.mps;

import org.jspecify.annotations.NullMarked;
