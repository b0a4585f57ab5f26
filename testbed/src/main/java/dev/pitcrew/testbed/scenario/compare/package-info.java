/// Comparison of two sets of facts, leaf by leaf, and the list of facts that are left out of it.
///
/// Owns what "equal" means and the strict format of the ignore file: each line gives its reason and
/// is accounted for, so that the list cannot quietly hide more than was meant.
///
/// Pure: reads the ignore file, nothing else; knows no cluster.
@NullMarked
package dev.pitcrew.testbed.scenario.compare;

import org.jspecify.annotations.NullMarked;
