/// Renders the driver's DaemonSets: one renderer whose steps are listed in order in
/// [DriverRenderer], for each variant (operating system, kernel, CoreOS release) that the GPU nodes
/// need.
@NullMarked
package dev.pitcrew.operator.operand.driver;

import org.jspecify.annotations.NullMarked;
