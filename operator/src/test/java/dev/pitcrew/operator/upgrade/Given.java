package dev.pitcrew.operator.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A node for one row of a table: ready, with the former driver, unless the row says otherwise.
final class Given {
  static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private static final String NEW = "2";

  private final ModelNode node;
  private final List<NodePod> pods = new ArrayList<>();
  private UpgradeState state = UpgradeState.UNKNOWN;
  private boolean listed = true;
  private boolean podsAsked;
  private Optional<String> daemonSet = Optional.empty();
  private Optional<String> unhealthyReason = Optional.empty();
  private Optional<Trouble> trouble = Optional.empty();
  private Optional<Integer> restarts = Optional.empty();
  private Optional<Rollback> rollback = Optional.empty();

  private Given(String name) {
    node = new ModelNode(name, "1");
  }

  static Given node() {
    return node("gpu-1");
  }

  static Given node(String name) {
    return new Given(name);
  }

  /// Wants the new driver.
  static Given asks(String name) {
    return node(name).in(UpgradeState.UPGRADE_REQUIRED);
  }

  /// Its pods are about to be evicted.
  static Given underWay(String name) {
    return node(name).in(UpgradeState.POD_DELETION_REQUIRED).cordoned().unlisted();
  }

  /// Its new driver crashed.
  static Given failed(String name) {
    return node(name)
        .in(UpgradeState.FAILED)
        .cordoned()
        .newDriver(Start.CRASHING)
        .noting(UpgradeMarks.FAILURE, "DRIVER 2 crashed");
  }

  /// With the new driver from its beginning.
  static Given joined(String name) {
    return node(name).in(UpgradeState.DONE).newDriver(Start.READY);
  }

  /// Upgraded so many minutes ago.
  static Given done(String name, int minutes) {
    return node(name)
        .in(UpgradeState.DONE)
        .newDriver(Start.READY)
        .since(Duration.ofMinutes(minutes));
  }

  /// Cordoned, and its jobs may finish.
  static Given waitingForJobs() {
    return node().in(UpgradeState.WAIT_FOR_JOBS_REQUIRED).cordoned();
  }

  /// Cordoned, and its pods are evicted.
  static Given emptied() {
    return node().in(UpgradeState.POD_DELETION_REQUIRED).cordoned();
  }

  /// Cordoned, and drained.
  static Given draining() {
    return node().in(UpgradeState.DRAIN_REQUIRED).cordoned();
  }

  /// Cordoned, and its driver pod is replaced.
  static Given restarted() {
    return node().in(UpgradeState.POD_RESTART_REQUIRED).cordoned();
  }

  /// Cordoned, and its new driver is validated.
  static Given validated() {
    return node().in(UpgradeState.VALIDATION_REQUIRED).cordoned().newDriver(Start.READY);
  }

  Given in(UpgradeState value) {
    state = value;
    return this;
  }

  /// For how long it has been in its state.
  Given since(Duration ago) {
    return noting(UpgradeMarks.SINCE, NOW.minus(ago).toString());
  }

  Given noting(String annotation, String value) {
    node.annotations.put(annotation, value);
    return this;
  }

  /// A time, in seconds since the epoch.
  Given noting(String annotation, Duration ago) {
    return noting(annotation, Long.toString(NOW.minus(ago).getEpochSecond()));
  }

  Given labelled(String label, String value) {
    node.labels.put(label, value);
    return this;
  }

  /// By this upgrade.
  Given cordoned() {
    node.unschedulable = true;
    return noting(UpgradeMarks.CORDONED, "true");
  }

  Given cordonedByOthers() {
    node.unschedulable = true;
    return this;
  }

  Given notReady() {
    return notReadyFor(Duration.ofMinutes(1));
  }

  /// Its kubelet has been silent for so long.
  Given notReadyFor(Duration time) {
    node.ready = false;
    node.readySince = NOW.minus(time);
    return this;
  }

  /// It has come back so long ago.
  Given readyFor(Duration time) {
    node.readySince = NOW.minus(time);
    return this;
  }

  /// The driver pod is of another DaemonSet than those of other nodes.
  Given ofDaemonSet(String name) {
    daemonSet = Optional.of(name);
    return this;
  }

  /// What is noted on its DaemonSet.
  Given taken(Rollback back) {
    rollback = Optional.of(back);
    return this;
  }

  /// The driver pod is of a driver that was wanted long ago.
  Given oldDriver(String digest) {
    node.version = digest;
    return this;
  }

  /// The driver pod is of the driver that is wanted.
  Given newDriver(Start start) {
    node.version = NEW;
    node.start = start;
    return this;
  }

  /// What the driver manager of its driver pod waits for, or gave up at.
  Given managerSays(String words) {
    return heldUp(Trouble.Kind.MANAGER, words);
  }

  /// What holds its driver pod up.
  Given heldUp(Trouble.Kind kind, String words) {
    trouble = Optional.of(new Trouble(kind, words));
    return this;
  }

  /// How often a container of its driver pod was restarted.
  Given restarted(int times) {
    restarts = Optional.of(times);
    return this;
  }

  /// Its driver pod has been ready for so long.
  Given driverReadyFor(Duration time) {
    return driverReadySince(Optional.of(NOW.minus(time)));
  }

  Given driverReadySince(Optional<Instant> since) {
    node.driverReadySince = since;
    return this;
  }

  Given noDriver() {
    node.start = Start.GONE;
    return this;
  }

  Given driverEnding() {
    node.terminating = true;
    return this;
  }

  Given notValidated() {
    node.validated = false;
    return this;
  }

  Given unhealthy(String what) {
    unhealthyReason = Optional.of(what);
    return this;
  }

  /// Nothing is known of its pods yet.
  Given unlisted() {
    listed = false;
    return this;
  }

  /// The eviction of its pods was requested, by the operator that looks at it now.
  Given asked() {
    podsAsked = true;
    return this;
  }

  /// A pod that holds a GPU.
  Given gpuPod(Owner owner) {
    return pod(GivenPod.train().of(owner));
  }

  Given pod(GivenPod pod) {
    pods.add(pod.observed());
    return this;
  }

  static PodName name(String name) {
    return new PodName("team", name, "uid-" + name);
  }

  UpgradeNode observed() {
    if (state != UpgradeState.UNKNOWN) {
      node.labels.put(NodeLabels.UPGRADE_STATE, state.label());
    }
    UpgradeNode seen = node.observed(NEW);
    return new UpgradeNode(
        seen.name(),
        seen.labels(),
        seen.state(),
        seen.marks(),
        seen.unschedulable(),
        seen.readiness(),
        seen.driver().map(this::driverPod),
        listed ? Optional.of(pods) : Optional.empty(),
        seen.validation(),
        unhealthyReason,
        podsAsked);
  }

  private DriverPod driverPod(DriverPod pod) {
    return new DriverPod(
        pod.name(),
        pod.current(),
        daemonSet.orElse(pod.daemonSet()),
        pod.digest(),
        pod.target(),
        pod.terminating(),
        pod.ready(),
        pod.readySince(),
        restarts.orElse(pod.restarts()),
        trouble.or(pod::trouble),
        rollback);
  }
}
