package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Optional;

/// The lease that replicas of the operator lead by.
record Leadership(KubernetesClient client) {
  private static final String LEASE = "53822513.nvidia.com";

  void awaitHolder(String podName, Duration limit) {
    await("lease held by " + podName)
        .atMost(limit)
        .until(this::holder, Optional.of(podName)::equals);
  }

  /// The pod that holds the lease; nothing where it was given up.
  Optional<String> holder() {
    return lease().map(lease -> lease.getSpec().getHolderIdentity());
  }

  private Optional<Lease> lease() {
    return Optional.ofNullable(client.leases().inNamespace(Scene.NAMESPACE).withName(LEASE).get());
  }
}
