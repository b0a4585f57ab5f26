package dev.pitcrew.operator.upgrade;

import dev.pitcrew.operator.upgrade.UpgradeFailure.Stage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// One node with a driver pod, as it was observed.
///
/// @param unschedulable whether it is cordoned, by whomever
/// @param readiness what its condition Ready says
/// @param driver its driver pod; empty between two of them
/// @param pods all pods of the node that have not ended; empty while they are not known
/// @param unhealthyReason what is wrong with its GPUs, as its agent reports
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
    Optional<String> unhealthyReason,
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

  /// When it entered its state; now, where that is not recorded.
  Instant since(Instant now) {
    return marks.since().orElse(now);
  }

  UpgradeNode in(UpgradeState next, Instant now) {
    return copy(it -> {
      it.state = next;
      it.marks = marks.withSince(Optional.of(now));
      it.podsAsked = podsAsked && next.isEmptied();
    });
  }

  UpgradeNode with(UpgradeMarks next) {
    return copy(it -> it.marks = next);
  }

  /// The same with another driver pod.
  public UpgradeNode withDriver(Optional<DriverPod> next) {
    return copy(it -> it.driver = next);
  }

  /// The same with other pods.
  public UpgradeNode withPods(Optional<List<NodePod>> next) {
    return copy(it -> it.pods = next);
  }

  /// The same, ready, well and validated.
  UpgradeNode validated() {
    return copy(it -> {
      it.readiness = Readiness.READY;
      it.validation = new Validation.Passed();
      it.unhealthyReason = Optional.empty();
    });
  }

  /// The same with the eviction of its pods requested.
  UpgradeNode withPodsAsked() {
    return copy(it -> it.podsAsked = true);
  }

  /// Cordons it, unless that has been done.
  UpgradeNode cordoned() {
    return unschedulable ? owned() : withUnschedulable(true).with(marks.withCordoned(true));
  }

  /// The same, with the cordon recorded as ours where it is: once it has left its state nothing
  /// else would show that.
  UpgradeNode owned() {
    return isHeldByUs() ? with(marks.withCordoned(true)) : this;
  }

  /// Takes our cordon away, and no other.
  UpgradeNode uncordoned() {
    UpgradeNode free = isOurCordon() ? withUnschedulable(false) : this;
    return free.with(free.marks.withCordoned(false));
  }

  /// Takes it out of upgrades altogether: its notes go, but for what asks for an upgrade, and so
  /// does our cordon.
  UpgradeNode released() {
    return uncordoned()
        .copy(it -> {
          it.state = UpgradeState.UNKNOWN;
          it.marks =
              UpgradeMarks.NONE
                  .withRequested(marks.requested())
                  .withSafeLoad(marks.waitsForSafeLoad());
          it.podsAsked = false;
        });
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

  /// A cordon without our mark on a node that is under way, or that failed and was not handed back,
  /// was set by the NVIDIA GPU Operator, which records only the cordons of others.
  private boolean isOurCordon() {
    boolean isKept =
        state == UpgradeState.FAILED
            && marks.failure().filter(it -> it.stage() == Stage.WORKLOAD).isEmpty();
    return marks.cordoned() || ((state.isUnderWay() || isKept) && !marks.wasUnschedulable());
  }

  private UpgradeNode withUnschedulable(boolean value) {
    return copy(it -> it.unschedulable = value);
  }

  private UpgradeNode copy(Consumer<Copy> change) {
    var copy = new Copy(this);
    change.accept(copy);
    return new UpgradeNode(
        name,
        labels,
        copy.state,
        copy.marks,
        copy.unschedulable,
        copy.readiness,
        copy.driver,
        copy.pods,
        copy.validation,
        copy.unhealthyReason,
        copy.podsAsked);
  }

  /// What can differ in a copy.
  private static final class Copy {
    private UpgradeState state;
    private UpgradeMarks marks;
    private boolean unschedulable;
    private Readiness readiness;
    private Optional<DriverPod> driver;
    private Optional<List<NodePod>> pods;
    private Validation validation;
    private Optional<String> unhealthyReason;
    private boolean podsAsked;

    private Copy(UpgradeNode of) {
      state = of.state;
      marks = of.marks;
      unschedulable = of.unschedulable;
      readiness = of.readiness;
      driver = of.driver;
      pods = of.pods;
      validation = of.validation;
      unhealthyReason = of.unhealthyReason;
      podsAsked = of.podsAsked;
    }
  }
}
