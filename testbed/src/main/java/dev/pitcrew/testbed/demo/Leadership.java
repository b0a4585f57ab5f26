package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The lease of the operator that acts.
record Leadership(Screen screen, ControlPlane controlPlane, LiveCluster cluster) {
  /// The NVIDIA GPU Operator's lease, which Pitcrew takes so that the two never act at once.
  private static final String LEASE = "53822513.nvidia.com";

  private static final Duration LIVENESS_PERIOD = Duration.ofSeconds(1);

  /// The lease once it is taken; empty after `limit`, or when no operator is left to take it.
  Optional<Lease> await(Duration limit, BooleanSupplier isHopeful) {
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "waiting for the operator to take its lease")) {
      // The end of a process is no change of the cluster, so it is looked at now and then.
      while (isHopeful.getAsBoolean()
          && watch.elapsed().compareTo(limit) < 0
          && !cluster.await(LIVENESS_PERIOD, () -> cluster.lease(LEASE).isPresent())) {}
    }
    return cluster.lease(LEASE);
  }

  /// By the API server's own account.
  String lastWriterOf(Lease lease) {
    return controlPlane.auditLog().requests().stream()
        .filter(request -> request.resource().equals("coordination.k8s.io/leases"))
        .filter(request -> request.isMutating())
        .filter(request -> request.namespace().equals(lease.getMetadata().getNamespace()))
        .reduce((_, later) -> later)
        .map(request -> request.user())
        .orElse("-");
  }

  static String holder(Lease lease) {
    return Optional.ofNullable(lease.getSpec().getHolderIdentity()).orElse("-");
  }
}
