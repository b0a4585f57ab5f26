/// FleetPolicy (`pitcrew.dev/v1alpha1`): Pitcrew's own settings, kept out of the schemas of the
/// NVIDIA GPU Operator.
///
/// It decides which functions the node agent provides; it configures no operand, that stays with
/// ClusterPolicy.
@NullMarked
package dev.pitcrew.api.fleetpolicy;

import org.jspecify.annotations.NullMarked;
