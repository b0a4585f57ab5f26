package dev.pitcrew.operator.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/// Which ClusterPolicy counts where there are several: the oldest one, and of equally old ones the
/// first by name.
public final class PolicyInForce {
  private PolicyInForce() {}

  public static <T extends HasMetadata> Optional<T> of(Collection<T> policies) {
    return policies.stream()
        .filter(policy -> policy.getMetadata().getDeletionTimestamp() == null)
        .min(
            Comparator.comparing((T policy) -> policy.getMetadata().getCreationTimestamp())
                .thenComparing(policy -> policy.getMetadata().getName()));
  }
}
