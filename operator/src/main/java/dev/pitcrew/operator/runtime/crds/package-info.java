/// Installs and removes custom resource definitions, for Helm hooks and by hand. It touches
/// definitions only, and of the objects of their kinds (which go with a definition that is deleted)
/// the FleetPolicy of the chart.
@NullMarked
package dev.pitcrew.operator.runtime.crds;

import org.jspecify.annotations.NullMarked;
