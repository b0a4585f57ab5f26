/// ClusterPolicy (`nvidia.com/v1`), one record a section.
///
/// Switches default to what the NVIDIA GPU Operator uses for an absent value; the operator's own
/// rules (images from the environment, precedence between sections) live in the operator.
@NullMarked
package dev.pitcrew.api.clusterpolicy;

import org.jspecify.annotations.NullMarked;
