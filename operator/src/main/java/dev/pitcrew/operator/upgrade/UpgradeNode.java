package dev.pitcrew.operator.upgrade;

import dev.pitcrew.operator.upgrade.UpgradeFailure.Stage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One node with a driver pod, as it was observed.
///
/// @param unschedulable whether it is cordoned, by whomever
/// @param readiness what its condition Ready says
/// @param driver its driver pod; empty between two of them
/// @param pods all pods of the node that have not ended; empty while they are not known
/// @param sickness what is wrong with its GPUs, as its agent tells
/// @param podsAsked whether this very process has asked its pods to go, for the upgrade under way
public record UpgradeNode(
    String name,
    Map<String, String> labels,
    UpgradeState state,
    UpgradeMarks marks,
    boolean unschedulable,
    Readiness readiness,
    Optional<DriverPod> driver,
    Optional<List<NodePod>> pods,
    Validation validation,
    Optional<String> sickness,
    boolean podsAsked) {

  public UpgradeNode {
    labels = Map.copyOf(labels);
    pods = pods.map(List::copyOf);
  }

  /// Whether its condition Ready is True.
  boolean ready() {
    return readiness.isReady();
  }

  /// Whether pods cannot be placed on it, whatever the reason.
  boolean isUnavailable() {
    return unschedulable || !ready();
  }

  /// Whether it runs the driver that is wanted.
  public boolean isCurrent() {
    return driver.filter(DriverPod::current).isPresent();
  }

  /// Whether it is out of service because an upgrade cordoned it.
  public boolean isHeldByUs() {
    return unschedulable && isOurCordon();
  }

  /// Whether it is being worked on, even if its label was taken off meanwhile.
  boolean isUnderWay() {
    boolean lost = state == UpgradeState.UNKNOWN || state == UpgradeState.DONE;
    return state.isUnderWay() || (lost && marks.cordoned());
  }

  /// Pods that hold GPUs, once they are known.
  Optional<List<NodePod>> holders() {
    return pods.map(all -> all.stream().filter(NodePod::holdsGpu).toList());
  }

  /// When it entered its state; now, where nobody noted it.
  Instant since(Instant now) {
    return marks.since().orElse(now);
  }

  UpgradeNode in(UpgradeState next, Instant now) {
    return new UpgradeNode(
        name,
        labels,
        next,
        marks.withSince(Optional.of(now)),
        unschedulable,
        readiness,
        driver,
        pods,
        validation,
        sickness,
        podsAsked && next.isEmptied());
  }

  UpgradeNode with(UpgradeMarks next) {
    return new UpgradeNode(
        name,
        labels,
        state,
        next,
        unschedulable,
        readiness,
        driver,
        pods,
        validation,
        sickness,
        podsAsked);
  }

  /// The same with another driver pod.
  public UpgradeNode withDriver(Optional<DriverPod> next) {
    return new UpgradeNode(
        name,
        labels,
        state,
        marks,
        unschedulable,
        readiness,
        next,
        pods,
        validation,
        sickness,
        podsAsked);
  }

  /// The same with other pods.
  public UpgradeNode withPods(Optional<List<NodePod>> next) {
    return new UpgradeNode(
        name,
        labels,
        state,
        marks,
        unschedulable,
        readiness,
        driver,
        next,
        validation,
        sickness,
        podsAsked);
  }

  /// The same, ready, well and validated.
  UpgradeNode validated() {
    return new UpgradeNode(
        name,
        labels,
        state,
        marks,
        unschedulable,
        Readiness.READY,
        driver,
        pods,
        new Validation.Passed(),
        Optional.empty(),
        podsAsked);
  }

  /// The same with its pods asked to go.
  UpgradeNode withPodsAsked() {
    return new UpgradeNode(
        name,
        labels,
        state,
        marks,
        unschedulable,
        readiness,
        driver,
        pods,
        validation,
        sickness,
        true);
  }

  /// Cordons it, unless that has been done.
  UpgradeNode cordoned() {
    return unschedulable ? owned() : withUnschedulable(true).with(marks.withCordoned(true));
  }

  /// The same, with the cordon noted as ours where it is: once it has left its state nothing else
  /// would tell.
  UpgradeNode owned() {
    return isHeldByUs() ? with(marks.withCordoned(true)) : this;
  }

  /// Takes our cordon away, and no other.
  UpgradeNode uncordoned() {
    UpgradeNode free = isOurCordon() ? withUnschedulable(false) : this;
    return free.with(free.marks.withCordoned(false));
  }

  /// Fails it, and keeps what happened. A node whose former driver is untouched is given back.
  UpgradeNode failed(Stage stage, String message, Instant now) {
    String target = driver.map(DriverPod::target).orElse("");
    var failure = new UpgradeFailure(stage, target, message);
    boolean isInVain = stage == Stage.WORKLOAD && podsAsked;
    UpgradeNode free = stage == Stage.WORKLOAD ? uncordoned() : this;
    return free.with(
            free.marks
                .withTries(free.marks.tries() + (isInVain ? 1 : 0))
                .withJobsSince(Optional.empty())
                .withValidationSince(Optional.empty())
                .withFailure(Optional.of(failure)))
        .in(UpgradeState.FAILED, now);
  }

  /// A cordon without our mark on a node that is under way, or that failed and was not given back,
  /// is the reference's, which notes only that of somebody else.
  private boolean isOurCordon() {
    boolean isKept =
        state == UpgradeState.FAILED
            && marks.failure().filter(it -> it.stage() == Stage.WORKLOAD).isEmpty();
    return marks.cordoned() || ((state.isUnderWay() || isKept) && !marks.wasUnschedulable());
  }

  private UpgradeNode withUnschedulable(boolean value) {
    return new UpgradeNode(
        name,
        labels,
        state,
        marks,
        value,
        readiness,
        driver,
        pods,
        validation,
        sickness,
        podsAsked);
  }
}
