/// Whether the nodes that are there now could ever run a pod that asks for GPUs, and if not why: a
/// name that no node advertises, more GPUs than a node has, resources that no node has together, or
/// a choice of nodes that leaves out those which have enough, or taints that it does not tolerate.
/// The operator reports it by Events, the kubectl plugin on request. Pure, and free of any client's
/// types: each program reads the objects its own way.
@NullMarked
package dev.pitcrew.core.requests;

import org.jspecify.annotations.NullMarked;
