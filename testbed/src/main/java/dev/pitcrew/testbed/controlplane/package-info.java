/// A real Kubernetes control plane, on loopback unless real nodes have to reach it: etcd,
/// kube-apiserver, kube-controller-manager and kube-scheduler, with RBAC, an audit log and
/// certificates of its own.
///
/// Owns those processes, their ports and one work directory, and sees to it that none of them
/// outlives the JVM that started it, however that ends. Never touches a cluster that it did not
/// start, the user's kubeconfig, or the network beyond the address that it was configured with.
@NullMarked
package dev.pitcrew.testbed.controlplane;

import org.jspecify.annotations.NullMarked;
