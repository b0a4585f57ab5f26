package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.driver.DriverVerdict;
import dev.pitcrew.operator.node.DriverOwners;
import dev.pitcrew.operator.policy.Ownership;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.runtime.DriverReading.Planned;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Carries out the plan of an NVIDIADriver. Running pods are taken over before its DaemonSets come
/// to be, which would put a second driver beside them; on a node that is selected only later, they
/// are as soon as such a second one has found no room.
///
/// For use by one thread at a time.
final class DriverApply implements AutoCloseable {
  /// What has become of one NVIDIADriver.
  ///
  /// @param hasOlderPods whether pods run that are not of the newest template
  record Result(DriverVerdict verdict, Outcome outcome, boolean hasOlderPods) {
    static Result of(DriverVerdict verdict) {
      return new Result(verdict, Outcome.done(), false);
    }

    /// The end of the obstacle may cause no event.
    static Result retried(DriverVerdict verdict, Duration pause) {
      return new Result(verdict, Outcome.wait(pause, verdict.message()), false);
    }
  }

  private final Caches caches;
  private final ObjectApply objects;
  private final DriverTakeover takeover;
  private final Rollouts rollouts;
  private final InstantSource clock;
  private SharedObjects shared = SharedObjects.NONE;
  private List<Unapplied> unshared = List.of();

  DriverApply(
      Caches caches,
      ObjectApply objects,
      DriverTakeover takeover,
      Rollouts rollouts,
      InstantSource clock) {
    this.caches = caches;
    this.objects = objects;
    this.takeover = takeover;
    this.rollouts = rollouts;
    this.clock = clock;
  }

  /// Applies what all of them share.
  void share(List<Planned> planned) throws InterruptedException {
    shared = SharedObjects.of(planned);
    unshared = objects.apply(shared.wanted(), List.of());
  }

  Result carryOut(GenericKubernetesResource driver, DriverPlan.Wanted plan, DriverOwners owners)
      throws InterruptedException {
    plan.resources().forEach(object -> Ownership.own(object, driver));
    plan.daemonSets().forEach(object -> Ownership.own(object, driver));
    Set<String> kinds = caches.ownedKinds();
    Optional<String> obstacle = takeover.prepare(lacking(plan), owners);
    var unapplied = new ArrayList<>(plan.pooled().isEmpty() ? List.<Unapplied>of() : unshared);
    unapplied.addAll(
        objects.apply(plan.resources(), obstacle.isPresent() ? present(plan) : plan.daemonSets()));
    boolean isReplaced = isAnyCreated(plan, unapplied);
    objects.delete(
        unwanted(driver, plan, kinds).stream()
            .filter(it -> isReplaced || !(it instanceof DaemonSet))
            .toList());
    if (!unapplied.isEmpty()) {
      return Result.retried(
          DriverVerdict.failed(Unapplied.message(unapplied)),
          Unapplied.untilRetry(unapplied, clock.instant()));
    }
    return obstacle
        .map(what -> Result.retried(DriverVerdict.waiting(what), ObjectApply.RETRY_REFUSED))
        .orElseGet(() -> look(driver, plan));
  }

  /// Watches pods as long as they show what no other object shows.
  ///
  /// @param unexplained whether something is not ready, and why is to be said
  /// @param older whether driver pods run that are not of the newest template
  void watchPods(boolean unexplained, boolean older) {
    rollouts.watchWhile(unexplained, older);
  }

  @Override
  public void close() {
    watchPods(false, false);
  }

  private Result look(GenericKubernetesResource driver, DriverPlan.Wanted plan) {
    List<Rollout> seen = List.copyOf(rollouts.of(driver, plan.daemonSets()).values());
    return new Result(
        DriverVerdict.of(seen, plan.unlabelled()), Outcome.done(), rollouts.hasOlderDrivers(seen));
  }

  /// DaemonSets that a pod without an owner may wait for: one that does not exist yet, and one
  /// whose own pod finds no room on its node, as on a node that it has only just selected.
  private List<DaemonSet> lacking(DriverPlan.Wanted plan) {
    return plan.daemonSets().stream()
        .filter(it ->
            caches.live(it).isEmpty() || rollouts.hasPodWithoutNode(it.getMetadata().getName()))
        .toList();
  }

  /// Whether nodes get a driver from what is wanted; if not, the DaemonSets that they have stay.
  private boolean isAnyCreated(DriverPlan.Wanted plan, List<Unapplied> unapplied) {
    Set<ObjectKey> keys = unapplied.stream().map(Unapplied::object).collect(Collectors.toSet());
    return plan.daemonSets().isEmpty()
        || plan.daemonSets().stream()
            .anyMatch(it -> !keys.contains(ObjectKey.of(it)) || caches.live(it).isPresent());
  }

  private List<DaemonSet> present(DriverPlan.Wanted plan) {
    return plan.daemonSets().stream().filter(it -> caches.live(it).isPresent()).toList();
  }

  private List<HasMetadata> unwanted(
      GenericKubernetesResource driver, DriverPlan.Wanted plan, Set<String> kinds) {
    Set<ObjectKey> wanted =
        Stream.concat(plan.resources().stream(), plan.daemonSets().stream())
            .map(ObjectKey::of)
            .collect(Collectors.toSet());
    return caches.ownedBy(driver, kinds).stream()
        .filter(object -> !wanted.contains(ObjectKey.of(object)))
        .filter(object -> !shared.keeps(object))
        .filter(object -> object.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }
}
