package dev.pitcrew.operator.policy;

import dev.pitcrew.operator.policy.SuitableNodes.KeptOff;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How far a DaemonSet has come.
///
/// @param current whether the counts are of the newest version of the DaemonSet
/// @param suitable nodes whose labels and taints ask for it
/// @param desired nodes that should run it, as the DaemonSet controller has counted
/// @param updated nodes that run its newest template
/// @param sameDriver nodes whose pods, of whatever template, have installed the driver that the
///   newest one would; 0 where that was not looked at
/// @param available nodes on which it is ready
/// @param cause what holds up a pod of it, where that is known
/// @param keptOff nodes with GPUs that have no pod of it, as they have a taint
public record Rollout(
    String name,
    boolean current,
    int suitable,
    int desired,
    int updated,
    int sameDriver,
    int available,
    Optional<PodCause> cause,
    Optional<KeptOff> keptOff) {

  /// One that the API server has not shown yet.
  public static Rollout unseen(String name) {
    return new Rollout(name, false, 0, 0, 0, 0, 0, Optional.empty(), Optional.empty());
  }

  /// One as the API server shows it.
  ///
  /// @param nodes whose labels and taints ask for it
  public static Rollout of(DaemonSet daemonSet, SuitableNodes nodes) {
    DaemonSetStatus status =
        Objects.requireNonNullElseGet(daemonSet.getStatus(), DaemonSetStatus::new);
    long generation = Objects.requireNonNullElse(daemonSet.getMetadata().getGeneration(), 0L);
    @Nullable Long observed = status.getObservedGeneration();
    return new Rollout(
        daemonSet.getMetadata().getName(),
        observed != null && observed >= generation,
        nodes.count(),
        count(status.getDesiredNumberScheduled()),
        count(status.getUpdatedNumberScheduled()),
        0,
        count(status.getNumberAvailable()),
        Optional.empty(),
        // Pods stay on a node that gets a taint of the effect NoSchedule.
        nodes.keptOff().flatMap(it -> it.butFor(count(status.getNumberMisscheduled()))));
  }

  public Rollout heldUpBy(Optional<PodCause> newCause) {
    return new Rollout(
        name, current, suitable, desired, updated, sameDriver, available, newCause, keptOff);
  }

  /// Nodes need no other driver than they have, although their pods may be of an older template.
  public Rollout withSameDriver(int nodes) {
    return new Rollout(name, current, suitable, desired, updated, nodes, available, cause, keptOff);
  }

  /// Whether pods are available that are not of the newest template.
  public boolean hasOlderPods() {
    return current && updated < Math.min(desired, available);
  }

  private boolean isReadyWhereItMayRun() {
    return current && desired >= suitable && upToDate() >= desired && available >= desired;
  }

  /// Nodes that wait for no other pod.
  public int upToDate() {
    return Math.max(updated, sameDriver);
  }

  /// Why it is not ready, in plain words.
  public Optional<String> lack() {
    if (isReadyWhereItMayRun()) {
      return keptOff.map(it -> it.sentence(name));
    }
    if (!current) {
      return Optional.of("DaemonSet " + name + " is being created or changed");
    }
    if (desired < suitable) {
      return Optional.of(
          "DaemonSet %s is due on %d nodes, of which the DaemonSet controller has counted %d"
              .formatted(name, suitable, desired));
    }
    String counts =
        available < desired
            ? "DaemonSet %s is ready on %d of %d nodes".formatted(name, available, desired)
            : "DaemonSet %s runs its newest version on %d of %d nodes"
                .formatted(name, upToDate(), desired);
    return Optional.of(counts + cause.map(found -> " (" + found.sentence() + ")").orElse(""));
  }

  private static int count(@Nullable Integer number) {
    return number == null ? 0 : number;
  }
}
