/// How a GPU is divided and could be divided (Multi-Instance GPU), as plain records. Nothing here
/// decides what is changed.
@NullMarked
package dev.pitcrew.device.mig;

import org.jspecify.annotations.NullMarked;
