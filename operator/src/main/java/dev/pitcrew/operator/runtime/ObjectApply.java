package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.policy.Ownership;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Predicate;

/// Brings many objects to the cluster, a few at a time.
final class ObjectApply {
  // Enough to hide the round trips of an install; few enough for the API server's fair share of one
  // client.
  private static final int AT_ONCE = 8;

  private final Applier applier;
  private final Caches caches;

  ObjectApply(Applier applier, Caches caches) {
    this.applier = applier;
    this.caches = caches;
  }

  /// Applies what differs.
  ///
  /// @return what the API server refused as invalid
  /// @throws KubeException when a write failed for another reason; the others are carried out all
  ///   the same
  List<Problem> apply(Collection<? extends HasMetadata> desired, HasMetadata owner)
      throws InterruptedException {
    // The API server looks up the role of a binding to see whether we may grant it.
    var problems = new ArrayList<Problem>();
    problems.addAll(
        each(
            only(desired, object -> !isBinding(object)),
            object -> apply(Ownership.own(object, owner))));
    problems.addAll(
        each(only(desired, ObjectApply::isBinding), object -> apply(Ownership.own(object, owner))));
    return problems;
  }

  private static List<HasMetadata> only(
      Collection<? extends HasMetadata> objects, Predicate<HasMetadata> wanted) {
    return objects.stream().filter(wanted).<HasMetadata>map(object -> object).toList();
  }

  private static boolean isBinding(HasMetadata object) {
    return object.getKind().endsWith("RoleBinding");
  }

  void delete(Collection<? extends HasMetadata> unwanted) throws InterruptedException {
    each(
        unwanted,
        object -> {
          applier.delete(object);
          return Optional.empty();
        });
  }

  private Optional<Problem> apply(HasMetadata object) {
    Optional<? extends HasMetadata> live = caches.live(object);
    if (live.filter(this::isBeingCollected).isPresent()) {
      return Optional.empty(); // its deletion will be seen, and then it is created anew
    }
    return switch (applier.apply(object, live)) {
      case ApplyResult.Unchanged _, ApplyResult.Applied _ -> Optional.empty();
      case ApplyResult.Refused(String message) ->
          Optional.of(
              new Problem(
                  "ObjectRefused",
                  "the API server refused " + ObjectKey.of(object) + ": " + message));
    };
  }

  /// Whether the garbage collector is about to delete the object with the policy that it belonged
  /// to. Who applied it now would race with the collector, and either could win.
  private boolean isBeingCollected(HasMetadata live) {
    return Owners.isOwnedByPolicy(live)
        && caches.policies().stream().noneMatch(policy -> Owners.owns(policy, live));
  }

  private static <T> List<Problem> each(Collection<T> objects, Function<T, Optional<Problem>> step)
      throws InterruptedException {
    var slots = new Semaphore(AT_ONCE);
    var running = new ArrayList<Future<Optional<Problem>>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (T object : objects) {
        slots.acquire();
        running.add(
            threads.submit(() -> {
              try {
                return step.apply(object);
              } finally {
                slots.release();
              }
            }));
      }
    }
    return problems(running);
  }

  private static List<Problem> problems(List<Future<Optional<Problem>>> finished)
      throws InterruptedException {
    var problems = new ArrayList<Problem>();
    for (var result : finished) {
      try {
        result.get().ifPresent(problems::add);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new IllegalStateException("applying an object", e.getCause());
      }
    }
    return problems;
  }
}
