/// What a node is and which labels it should carry, one node at a time. Everything here is a pure
/// function of a Node object and of what labelling needs of the active ClusterPolicy: no client, no
/// clock, no I/O. The caller watches, patches and logs.
///
/// The rules are those of the reference operator (its node labelling controller), with one
/// difference: labels are taken back when the last ClusterPolicy goes.
@NullMarked
package dev.pitcrew.operator.node;

import org.jspecify.annotations.NullMarked;
