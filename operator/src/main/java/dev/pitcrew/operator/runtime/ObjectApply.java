package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.operator.policy.ApplyFailure;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.policy.LiveTemplate;
import dev.pitcrew.operator.policy.NamespaceLabels;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.runtime.rollback.RolledBack;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Brings many objects to the cluster, a few at a time.
final class ObjectApply {
  // Enough to hide the round trips of an install; few enough for the API server's fair share of one
  // client.
  private static final int AT_ONCE = 8;

  /// When what was refused is tried again although nothing has changed.
  static final Duration RETRY_REFUSED = ApplyFailures.RETRY_REFUSED;

  private final Applier applier;
  private final Caches caches;
  private final ApplyFailures failures;
  private final Contention contention;
  private final RolledBack rolledBack;

  ObjectApply(Applier applier, Caches caches, InstantSource clock, RolledBack rolledBack) {
    this.applier = applier;
    this.caches = caches;
    this.failures = new ApplyFailures(clock);
    this.contention = new Contention(clock);
    this.rolledBack = rolledBack;
  }

  /// Applies what differs of a plan: what pods refer to before the pods, and roles before their
  /// bindings, as the API server looks up the role to see whether we may grant it.
  ///
  /// @return what could not be applied; the others are all the same
  List<Unapplied> apply(PolicyPlan plan) throws InterruptedException {
    return apply(plan.resources(), plan.daemonSets());
  }

  /// The same for objects of any plan.
  List<Unapplied> apply(List<HasMetadata> resources, List<? extends HasMetadata> daemonSets)
      throws InterruptedException {
    var results = new ArrayList<Future<Optional<Unapplied>>>();
    results.addAll(each(only(resources, object -> !isBinding(object)), this::apply));
    results.addAll(each(only(resources, ObjectApply::isBinding), this::apply));
    results.addAll(each(daemonSets, this::apply));
    return unapplied(results);
  }

  private static List<HasMetadata> only(List<HasMetadata> objects, Predicate<HasMetadata> wanted) {
    return objects.stream().filter(wanted).toList();
  }

  private static boolean isBinding(HasMetadata object) {
    return object.getKind().endsWith("RoleBinding");
  }

  /// Deletes objects and all that they own.
  void delete(List<HasMetadata> unwanted) throws InterruptedException {
    doEach(unwanted, it -> delete(it, Dependents.FOLLOW));
  }

  /// Deletes DaemonSets and leaves their pods behind. Begun by one operator, it can be ended by
  /// another.
  void handOver(HandOver handOver) throws InterruptedException {
    doEach(handOver.released(), it -> applier.release(it, HandOver.FINALIZER));
    List<DaemonSet> untouched =
        handOver.leaving().stream().filter(it -> !HandOver.isDeleted(it)).toList();
    doEach(
        untouched,
        it -> {
          applier.hold(it, HandOver.FINALIZER);
          delete(it, Dependents.FOLLOW); // which waits until it is released
        });
    doEach(
        handOver.leaving(),
        it -> {
          delete(it, Dependents.STAY);
          applier.release(it, HandOver.FINALIZER);
        });
  }

  private void delete(HasMetadata object, Dependents dependents) {
    contention.forget(ObjectKey.of(object));
    applier.delete(object, dependents);
  }

  private static <T> void doEach(List<T> items, Consumer<? super T> step)
      throws InterruptedException {
    unapplied(
        each(
            items,
            item -> {
              step.accept(item);
              return Optional.empty();
            }));
  }

  /// Gives the operator's namespace the labels that pods with host access need.
  ///
  /// @return why it does not have them
  Optional<Unapplied> labelNamespace(RenderContext context) {
    return caches
        .ownNamespace()
        .get("", context.namespace())
        .flatMap(namespace -> {
          Map<String, String> present =
              Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.of());
          Map<String, @Nullable String> missing =
              new HashMap<>(NamespaceLabels.missing(context, present));
          return missing.isEmpty()
              ? Optional.empty()
              : attempt(namespace, () -> applier.patchMetadata(namespace, missing, Map.of()));
        });
  }

  private Optional<Unapplied> apply(HasMetadata wanted) {
    Optional<? extends HasMetadata> live = caches.live(wanted);
    Optional<RolledBack.Substitute> substitute = rolledBack.of(wanted, live);
    Optional<Unapplied> unapplied =
        apply(
            substitute
                .map(RolledBack.Substitute::object)
                .orElseGet(() -> withLiveForm(wanted, live)),
            live);
    if (unapplied.isEmpty()) { // not earlier: a reported failure would be reported again
      live.filter(it -> RolledBack.isOver(wanted, it)).ifPresent(this::forgetRejection);
    }
    return unapplied.or(() -> substitute.map(it -> failures.other(wanted, it.problem())));
  }

  private static HasMetadata withLiveForm(
      HasMetadata wanted, Optional<? extends HasMetadata> live) {
    return wanted instanceof DaemonSet rendered && live.orElse(null) instanceof DaemonSet present
        ? LiveTemplate.keep(rendered, present)
        : wanted;
  }

  private void forgetRejection(HasMetadata live) {
    Map<String, @Nullable String> annotation = new HashMap<>();
    annotation.put(Rollback.ANNOTATION, null);
    applier.patchMetadata(live, Map.of(), annotation);
  }

  private Optional<Unapplied> apply(HasMetadata object, Optional<? extends HasMetadata> live) {
    if (live.filter(it -> HandOver.isDeleted(it) || isBeingCollected(it)).isPresent()) {
      return Optional.empty(); // its deletion will be seen, and then it is created again
    }
    ObjectKey key = ObjectKey.of(object);
    if (contention.heldUntil(key, object).isEmpty()) {
      Optional<Unapplied> unapplied = attempt(object, () -> apply(key, object, live));
      if (unapplied.isPresent()) {
        return unapplied;
      }
    }
    return contention
        .heldUntil(key, object)
        .map(retry -> new Unapplied(key, ApplyFailure.contested(key, live), retry));
  }

  private ApplyResult apply(
      ObjectKey key, HasMetadata object, Optional<? extends HasMetadata> live) {
    ApplyResult result = applier.apply(object, live);
    if (result instanceof ApplyResult.Applied(String resourceVersion)) {
      contention.wrote(key, object, resourceVersion);
    }
    return result;
  }

  /// Makes a write unless it has failed lately.
  private Optional<Unapplied> attempt(HasMetadata object, Supplier<ApplyResult> write) {
    Optional<Unapplied> standing = failures.standing(object);
    if (standing.isPresent()) {
      return standing;
    }
    try {
      if (write.get() instanceof ApplyResult.Refused(String message)) {
        return Optional.of(failures.refused(object, message));
      }
      failures.forget(object);
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(failures.failed(object, e));
    }
  }

  /// Whether the garbage collector is about to delete the object with what it belonged to. Who
  /// applied it now would race with the collector, and either could win.
  private boolean isBeingCollected(HasMetadata live) {
    return Owners.isOurs(live)
        && !Owners.isAnyOwner(
            Stream.of(caches.policies(), caches.gpuClusters(), caches.drivers())
                .flatMap(Cache::stream),
            live);
  }

  private static <T> List<Future<Optional<Unapplied>>> each(
      List<T> items, Function<? super T, Optional<Unapplied>> step) throws InterruptedException {
    return new Parallel(AT_ONCE).each(items, step);
  }

  /// @throws RuntimeException the first failure, with the others suppressed in it
  private static List<Unapplied> unapplied(List<Future<Optional<Unapplied>>> results)
      throws InterruptedException {
    var unapplied = new ArrayList<Unapplied>();
    var failures = new ArrayList<RuntimeException>();
    for (var result : results) {
      try {
        Parallel.value(result).ifPresent(unapplied::add);
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      RuntimeException first = failures.removeFirst();
      failures.forEach(first::addSuppressed);
      throw first;
    }
    return unapplied;
  }
}
