/// The node process. A package is a concern (labels, device plugin, CDI): its controller keeps one
/// part of the node as its input says, is idempotent and calls no other controller.
@NullMarked
package dev.pitcrew.agent;

import org.jspecify.annotations.NullMarked;
