/// What can be allocated on a node and under which name: one model for the device plugin, CDI
/// specifications, labels, metrics and DRA. Pure: it gets what the hardware reported and queries
/// nothing.
@NullMarked
package dev.pitcrew.device;

import org.jspecify.annotations.NullMarked;
