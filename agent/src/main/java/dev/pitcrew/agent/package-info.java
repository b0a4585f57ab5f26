/// The node process. A package is a concern (labels, device plugin, CDI): it reads one snapshot of
/// the node, is idempotent and never calls another concern.
@NullMarked
package dev.pitcrew.agent;

import org.jspecify.annotations.NullMarked;
