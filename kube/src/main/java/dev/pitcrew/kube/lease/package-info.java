/// Which of several copies of a process may act: the one that holds a Lease.
///
/// It follows the protocol of client-go, so that the NVIDIA GPU Operator and ours never both hold
/// the same Lease. It needs the verbs get, create and update on leases.
@NullMarked
package dev.pitcrew.kube.lease;

import org.jspecify.annotations.NullMarked;
