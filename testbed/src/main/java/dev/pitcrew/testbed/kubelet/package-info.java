/// A node on which pods of the operator's image really run, as processes beside the cluster: for
/// charts whose hooks Helm waits for, and whose RBAC is to be proved.
///
/// Owns its node and the processes of the pods that are bound to it. Never touches a pod of another
/// node, and pulls no image: every container is taken for one of the built operator.
@NullMarked
package dev.pitcrew.testbed.kubelet;

import org.jspecify.annotations.NullMarked;
