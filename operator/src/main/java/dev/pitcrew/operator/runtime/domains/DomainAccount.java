package dev.pitcrew.operator.runtime.domains;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.operand.dra.DomainDaemonRights;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The account of the IMEX daemons of all domains and its rights. They go with the FleetPolicy, and
/// not with its switch: daemons that run use them. A GPUCluster with ComputeDomains brings the same
/// ones.
final class DomainAccount {
  private static final Duration UNTIL_CHANGED = Duration.ofSeconds(30);

  private final String namespace;
  private final Applier applier;
  private final Supplier<Optional<? extends HasMetadata>> fleetPolicy;
  private final Supplier<Optional<? extends HasMetadata>> live;

  /// @param live the account as the cluster has it
  DomainAccount(
      String namespace,
      Applier applier,
      Supplier<Optional<? extends HasMetadata>> fleetPolicy,
      Supplier<Optional<? extends HasMetadata>> live) {
    this.namespace = namespace;
    this.applier = applier;
    this.fleetPolicy = fleetPolicy;
    this.live = live;
  }

  Outcome apply() {
    Optional<? extends HasMetadata> account = live.get();
    Optional<? extends HasMetadata> owner = fleetPolicy.get();
    if (owner.isEmpty() || account.filter(DomainAccount::isOfGpuCluster).isPresent()) {
      return Outcome.done();
    }
    for (HasMetadata object : DomainDaemonRights.of(namespace)) {
      object.getMetadata().setOwnerReferences(List.of(reference(owner.get())));
      Optional<? extends HasMetadata> present =
          object instanceof ServiceAccount ? account : Optional.empty();
      if (applier.apply(object, present) instanceof ApplyResult.Refused(String why)) {
        return Outcome.wait(
            UNTIL_CHANGED, "the API server refuses %s: %s".formatted(ObjectKey.of(object), why));
      }
    }
    return Outcome.done();
  }

  private static boolean isOfGpuCluster(HasMetadata account) {
    Predicate<OwnerReference> isGpuCluster = owner -> owner.getKind().equals("GPUCluster");
    return account.getMetadata().getOwnerReferences().stream().anyMatch(isGpuCluster);
  }

  /// Nothing waits for these objects when the FleetPolicy goes, so the operator needs no right to
  /// block its deletion.
  private static OwnerReference reference(HasMetadata fleetPolicy) {
    return new OwnerReferenceBuilder()
        .withApiVersion(fleetPolicy.getApiVersion())
        .withKind(fleetPolicy.getKind())
        .withName(fleetPolicy.getMetadata().getName())
        .withUid(fleetPolicy.getMetadata().getUid())
        .withController(true)
        .build();
  }
}
