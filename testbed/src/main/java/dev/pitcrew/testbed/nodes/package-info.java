/// Nodes without machines, for tests about numbers and about what the cluster's controllers do:
/// Node objects whose leases, status and pods kwok plays.
///
/// Owns the kwok process and the nodes that it created. Never touches a node without our
/// annotation, so real nodes can live beside simulated ones.
@NullMarked
package dev.pitcrew.testbed.nodes;

import org.jspecify.annotations.NullMarked;
