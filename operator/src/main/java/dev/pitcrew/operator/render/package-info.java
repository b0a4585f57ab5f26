/// Builds Kubernetes objects: drafts of DaemonSets and containers that settings are laid over, the
/// identity that an operand runs under, and the ordered list of what all operands share. Pure;
/// knows no single operand and no client.
@NullMarked
package dev.pitcrew.operator.render;

import org.jspecify.annotations.NullMarked;
