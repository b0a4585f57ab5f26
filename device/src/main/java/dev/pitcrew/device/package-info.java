/// What can be allocated on a node and under which name: one model for the device plugin, CDI
/// specifications, labels, metrics and DRA. Pure: it is told what the hardware said and asks
/// nothing.
@NullMarked
package dev.pitcrew.device;

import org.jspecify.annotations.NullMarked;
