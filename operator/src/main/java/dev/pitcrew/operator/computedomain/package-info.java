/// ComputeDomains (multi-node NVLink): the objects that the controller makes for one, its status,
/// and the order in which it is deleted. Decides and does nothing else.
@NullMarked
package dev.pitcrew.operator.computedomain;

import org.jspecify.annotations.NullMarked;
