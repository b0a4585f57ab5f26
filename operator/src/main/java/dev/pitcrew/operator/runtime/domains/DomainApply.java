package dev.pitcrew.operator.runtime.domains;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.computedomain.Domain;
import dev.pitcrew.operator.computedomain.DomainDeletion;
import dev.pitcrew.operator.computedomain.DomainLabels;
import dev.pitcrew.operator.computedomain.DomainObjects;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Makes the objects of a ComputeDomain that are missing. One that is there stays as it is: claims
/// refer to it, and another template would replace the daemons of a workload that runs.
final class DomainApply {
  private final KubernetesClient client;
  private final DomainSources sources;
  private final DomainDeletions deletions;
  private final Applier applier;

  DomainApply(
      KubernetesClient client, DomainSources sources, DomainDeletions deletions, Applier applier) {
    this.client = client;
    this.sources = sources;
    this.deletions = deletions;
    this.applier = applier;
  }

  /// @return why an object could not be made; those before it are
  Optional<Problem> apply(DomainObjects objects) {
    Domain domain = objects.domain();
    List<HasMetadata> present =
        Stream.<HasMetadata>concat(
                sources.templates(domain.uid()).stream(),
                deletions.daemonSets(domain.uid()).stream())
            .toList();
    for (HasMetadata wanted : objects.all()) {
      Optional<HasMetadata> live = present.stream().filter(it -> isSame(it, wanted)).findFirst();
      Optional<Problem> problem = live.isPresent() ? release(live.get()) : make(wanted, domain);
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private static boolean isSame(HasMetadata live, HasMetadata wanted) {
    return ObjectKey.of(live).equals(ObjectKey.of(wanted));
  }

  /// An object of a domain that stays, which a user has deleted: it is made again once it is gone.
  private Optional<Problem> release(HasMetadata live) {
    if (live.getMetadata().getDeletionTimestamp() != null && DomainDeletion.isHeld(live)) {
      deletions.release(live);
    }
    return Optional.empty();
  }

  /// The caches show only what has the label of a domain, so the name is asked for.
  private Optional<Problem> make(HasMetadata wanted, Domain domain) {
    Optional<? extends HasMetadata> found = find(wanted);
    if (found.isPresent()) {
      return DomainDeletions.isOf(domain.uid(), found.get())
          ? Optional.empty()
          : Optional.of(taken(wanted, found.get()));
    }
    applier.forget(ObjectKey.of(wanted));
    return applier.apply(wanted, Optional.empty()) instanceof ApplyResult.Refused(String why)
        ? Optional.of(
            new Problem(
                "ObjectRefused",
                "the API server refuses %s %s: %s"
                    .formatted(wanted.getKind(), ObjectKey.of(wanted).name(), why)))
        : Optional.empty();
  }

  private Optional<? extends HasMetadata> find(HasMetadata wanted) {
    String namespace = wanted.getMetadata().getNamespace();
    String name = wanted.getMetadata().getName();
    return switch (wanted) {
      case DaemonSet _ ->
          Optional.ofNullable(
              client.apps().daemonSets().inNamespace(namespace).withName(name).get());
      default ->
          Optional.<GenericKubernetesResource>ofNullable(
              client
                  .genericKubernetesResources(DomainKinds.TEMPLATE)
                  .inNamespace(namespace)
                  .withName(name)
                  .get());
    };
  }

  private static Problem taken(HasMetadata wanted, HasMetadata found) {
    String owner =
        DomainLabels.domain(found)
            .map("the ComputeDomain with the UID %s"::formatted)
            .orElse("no ComputeDomain");
    return Problem.of(
        "TemplateNameTaken",
        DomainLabels.isForWorkloads(wanted)
            ? "spec.channel.resourceClaimTemplate.name"
            : "the name of the " + wanted.getKind() + " of the daemons",
        wanted.getMetadata().getName(),
        "%s %s/%s is there already and belongs to %s, and is left as it is; delete it, or create this ComputeDomain again with another name"
            .formatted(
                found.getKind(),
                found.getMetadata().getNamespace(),
                found.getMetadata().getName(),
                owner));
  }
}
