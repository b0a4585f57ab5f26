package dev.pitcrew.operator.computedomain;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What is left of a ComputeDomain that is being deleted, or is gone.
///
/// The templates are deleted first, so that no pod gets a claim for the domain any more, and the
/// node labels before anything disappears: an object with the finalizer is what finds the domain
/// again after a restart. Cliques go with the pods of the daemons, which own them.
///
/// @param domain absent once it is gone
/// @param templates of its claims
/// @param daemonSets of its daemons
/// @param nodes that have its label
public record DomainDeletion(
    Optional<? extends HasMetadata> domain,
    List<? extends HasMetadata> templates,
    List<? extends HasMetadata> daemonSets,
    List<String> nodes) {

  /// The next step. Each is derived from what exists, so that it makes no difference who did those
  /// before it.
  public sealed interface Step {
    record Delete(HasMetadata object) implements Step {}

    /// Take the finalizer off an object.
    record Release(HasMetadata object) implements Step {}

    /// Take the label of the domain off nodes.
    record Unlabel(List<String> nodes) implements Step {}

    /// An object is kept by the finalizer of another program.
    record Await(HasMetadata object) implements Step {}

    record Finished() implements Step {}
  }

  public DomainDeletion {
    templates = List.copyOf(templates);
    daemonSets = List.copyOf(daemonSets);
    nodes = List.copyOf(nodes);
  }

  public Step next() {
    List<HasMetadata> workloads = only(DomainLabels::isForWorkloads);
    List<HasMetadata> daemons = only(Predicate.not(DomainLabels::isForWorkloads));
    return first(workloads, it -> !isDeleted(it))
        .<Step>map(Step.Delete::new)
        .or(() -> first(daemons, it -> !isDeleted(it)).map(Step.Delete::new))
        .or(() -> first(daemonSets, it -> !isDeleted(it)).map(Step.Delete::new))
        .or(() -> nodes.isEmpty() ? Optional.empty() : Optional.of(new Step.Unlabel(nodes)))
        .or(() -> gone(workloads))
        .or(() -> gone(daemons))
        .or(() -> gone(daemonSets))
        .or(() -> domain.filter(DomainDeletion::isHeld).map(Step.Release::new))
        .orElseGet(Step.Finished::new);
  }

  private List<HasMetadata> only(Predicate<HasMetadata> wanted) {
    return templates.stream().<HasMetadata>map(it -> it).filter(wanted).toList();
  }

  private static Optional<Step> gone(Collection<? extends HasMetadata> objects) {
    return first(objects, DomainDeletion::isHeld)
        .<Step>map(Step.Release::new)
        .or(() -> first(objects, _ -> true).map(Step.Await::new));
  }

  private static Optional<HasMetadata> first(
      Collection<? extends HasMetadata> objects, Predicate<HasMetadata> which) {
    return objects.stream().<HasMetadata>map(it -> it).filter(which).findFirst();
  }

  private static boolean isDeleted(HasMetadata object) {
    return object.getMetadata().getDeletionTimestamp() != null;
  }

  /// Whether it has the finalizer of this controller.
  public static boolean isHeld(HasMetadata object) {
    return Stream.ofNullable(object.getMetadata().getFinalizers())
        .flatMap(List::stream)
        .anyMatch(finalizer -> Objects.equals(finalizer, DomainLabels.FINALIZER));
  }
}
