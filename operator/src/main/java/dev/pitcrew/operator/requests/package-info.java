/// Reports to the owner of a pod that waits for GPUs when no node could ever run it: a name that no
/// node advertises, more GPUs than a node has, resources that no node has together, or a choice of
/// nodes that leaves out those which have enough, or taints that it does not tolerate. That all
/// GPUs are in use is no mistake, and the scheduler says it. Pure: the runtime watches pods and
/// nodes and sends the Events.
@NullMarked
package dev.pitcrew.operator.requests;

import org.jspecify.annotations.NullMarked;
