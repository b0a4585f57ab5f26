package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.policy.NamespaceLabels;
import dev.pitcrew.operator.policy.PolicyPlan;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.runtime.rollback.RolledBack;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Brings many objects to the cluster, a few at a time.
final class ObjectApply {
  // Enough to hide the round trips of an install; few enough for the API server's fair share of one
  // client.
  private static final int AT_ONCE = 8;

  /// When what was refused is tried again although nothing has changed: a quota or an admission
  /// policy may have, and nobody tells us.
  static final Duration RETRY_REFUSED = Duration.ofSeconds(30);

  /// An object that the API server has refused, and what it said.
  private record Refusal(HasMetadata object, Problem problem, Instant when) {
    boolean stands(HasMetadata desired, Instant now) {
      return object.equals(desired) && now.isBefore(when.plus(RETRY_REFUSED));
    }
  }

  private final Applier applier;
  private final Caches caches;
  private final InstantSource clock;
  private final RolledBack rolledBack;
  private final Map<ObjectKey, Refusal> refusals = new ConcurrentHashMap<>();

  ObjectApply(Applier applier, Caches caches, InstantSource clock, RolledBack rolledBack) {
    this.applier = applier;
    this.caches = caches;
    this.clock = clock;
    this.rolledBack = rolledBack;
  }

  /// Applies what differs of a plan: what pods refer to before the pods, and roles before their
  /// bindings, as the API server looks up the role to see whether we may grant it.
  ///
  /// @return what the API server refused as invalid
  /// @throws KubeException when a write failed for another reason; the others are carried out all
  ///   the same
  List<Problem> apply(PolicyPlan plan) throws InterruptedException {
    return apply(plan.resources(), plan.daemonSets());
  }

  /// The same for objects of any plan.
  List<Problem> apply(List<HasMetadata> resources, List<? extends HasMetadata> daemonSets)
      throws InterruptedException {
    var results = new ArrayList<Future<Optional<Problem>>>();
    results.addAll(each(only(resources, object -> !isBinding(object)), this::apply));
    results.addAll(each(only(resources, ObjectApply::isBinding), this::apply));
    results.addAll(each(daemonSets, this::apply));
    return problems(results);
  }

  private static List<HasMetadata> only(List<HasMetadata> objects, Predicate<HasMetadata> wanted) {
    return objects.stream().filter(wanted).toList();
  }

  private static boolean isBinding(HasMetadata object) {
    return object.getKind().endsWith("RoleBinding");
  }

  /// Deletes objects and all that they own.
  void delete(List<HasMetadata> unwanted) throws InterruptedException {
    doEach(unwanted, applier::delete);
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
          applier.delete(it, Dependents.FOLLOW); // which waits until it is released
        });
    doEach(
        handOver.leaving(),
        it -> {
          applier.delete(it, Dependents.STAY);
          applier.release(it, HandOver.FINALIZER);
        });
  }

  private static <T> void doEach(List<T> items, Consumer<? super T> step)
      throws InterruptedException {
    problems(
        each(
            items,
            item -> {
              step.accept(item);
              return Optional.empty();
            }));
  }

  /// Gives the operator's namespace the labels that pods with host access need.
  ///
  /// @return why the API server refused that
  Optional<Problem> labelNamespace(RenderContext context) {
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
              : problem(
                  ObjectKey.of(namespace), applier.patchMetadata(namespace, missing, Map.of()));
        });
  }

  private Optional<Problem> apply(HasMetadata wanted) {
    Optional<? extends HasMetadata> live = caches.live(wanted);
    Optional<RolledBack.Substitute> substitute = rolledBack.of(wanted, live);
    Optional<Problem> problem =
        apply(substitute.map(RolledBack.Substitute::object).orElse(wanted), live);
    if (problem.isEmpty()) { // and no sooner: a failure that was told there would be told again
      live.filter(it -> RolledBack.isOver(wanted, it)).ifPresent(this::forgetRejection);
    }
    return problem.or(() -> substitute.map(RolledBack.Substitute::problem));
  }

  private void forgetRejection(HasMetadata live) {
    Map<String, @Nullable String> annotation = new HashMap<>();
    annotation.put(Rollback.ANNOTATION, null);
    applier.patchMetadata(live, Map.of(), annotation);
  }

  private Optional<Problem> apply(HasMetadata object, Optional<? extends HasMetadata> live) {
    if (live.filter(it -> HandOver.isDeleted(it) || isBeingCollected(it)).isPresent()) {
      return Optional.empty(); // its deletion will be seen, and then it is created anew
    }
    ObjectKey key = ObjectKey.of(object);
    @Nullable Refusal before = refusals.get(key);
    if (before != null && before.stands(object, clock.instant())) {
      return Optional.of(before.problem());
    }
    Optional<Problem> problem = problem(key, applier.apply(object, live));
    problem.ifPresentOrElse(
        found -> refusals.put(key, new Refusal(object, found, clock.instant())),
        () -> refusals.remove(key));
    return problem;
  }

  private static Optional<Problem> problem(ObjectKey key, ApplyResult result) {
    return switch (result) {
      case ApplyResult.Unchanged _, ApplyResult.Applied _ -> Optional.empty();
      case ApplyResult.Refused(String message) ->
          Optional.of(
              new Problem("ObjectRefused", "the API server refused " + key + ": " + message));
    };
  }

  /// Whether the garbage collector is about to delete the object with what it belonged to. Who
  /// applied it now would race with the collector, and either could win.
  private boolean isBeingCollected(HasMetadata live) {
    return Owners.isOurs(live)
        && !Owners.isAnyOwner(
            Stream.concat(caches.policies().stream(), caches.drivers().stream()), live);
  }

  /// Carries out a step for each item; all have ended on return.
  private static <T> List<Future<Optional<Problem>>> each(
      List<T> items, Function<? super T, Optional<Problem>> step) throws InterruptedException {
    var slots = new Semaphore(AT_ONCE);
    var results = new ArrayList<Future<Optional<Problem>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (T item : items) {
        slots.acquire();
        results.add(
            threads.submit(() -> {
              try {
                return step.apply(item);
              } finally {
                slots.release();
              }
            }));
      }
    }
    return results;
  }

  /// @throws RuntimeException the first failure, with the others suppressed in it
  private static List<Problem> problems(List<Future<Optional<Problem>>> results)
      throws InterruptedException {
    var problems = new ArrayList<Problem>();
    var failures = new ArrayList<RuntimeException>();
    for (var result : results) {
      try {
        result.get().ifPresent(problems::add);
      } catch (ExecutionException e) {
        failures.add(
            e.getCause() instanceof RuntimeException cause
                ? cause
                : new IllegalStateException("applying an object", e.getCause()));
      }
    }
    if (!failures.isEmpty()) {
      RuntimeException first = failures.removeFirst();
      failures.forEach(first::addSuppressed);
      throw first;
    }
    return problems;
  }
}
