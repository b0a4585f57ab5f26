/// What a node is, who brings its driver and which labels it should carry, one node at a time.
/// Everything here is a pure function of a Node object, of what its agent has said of the driver
/// and of what labelling needs of the active ClusterPolicy: no client, no clock, no I/O. The caller
/// watches, patches and logs.
///
/// The rules are those of the NVIDIA GPU Operator (its node labelling controller), with two
/// differences: labels are withdrawn when the last ClusterPolicy goes, and a driver of the host is
/// found by the agent.
@NullMarked
package dev.pitcrew.operator.node;

import org.jspecify.annotations.NullMarked;
