/// ClusterPolicy (`nvidia.com/v1`), one record a section.
///
/// Switches answer what the reference operator treats an absent value as; the operator's own rules
/// (images from the environment, precedence between sections) live in the operator.
@NullMarked
package dev.pitcrew.api.clusterpolicy;

import org.jspecify.annotations.NullMarked;
