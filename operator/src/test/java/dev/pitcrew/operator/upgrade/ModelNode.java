package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a node is in truth: the observed record is made of it, and a plan is carried out on it.
final class ModelNode {
  /// How far the driver pod is.
  enum Start {
    GONE,
    STARTING,
    READY,
    CRASHING
  }

  final String name;
  final Map<String, String> labels = new HashMap<>();
  final Map<String, String> annotations = new HashMap<>();
  final List<NodePod> pods = new ArrayList<>();
  boolean unschedulable;
  boolean cordonedByAdmin;
  boolean ready = true;
  Instant readySince = Instant.EPOCH;
  Optional<Instant> driverReadySince = Optional.of(Instant.EPOCH);
  boolean pinned;

  /// Whether pods that are evicted take their time to end.
  boolean slow;

  /// What its agent says of its GPUs.
  Optional<String> unhealthyReason = Optional.empty();

  /// Whether the images of a driver cannot be pulled on it.
  boolean imageless;

  boolean validated = true;
  boolean terminating;
  boolean podsAsked;
  String version;
  Start start = Start.READY;
  private int pod;

  ModelNode(String name, String version) {
    this.name = name;
    this.version = version;
  }

  UpgradeNode observed(String target) {
    return new UpgradeNode(
        name,
        labels,
        UpgradeState.of(labels.get("nvidia.com/gpu-driver-upgrade-state")),
        UpgradeMarks.of(annotations),
        unschedulable,
        readiness(),
        start == Start.GONE ? Optional.empty() : Optional.of(driver(target)),
        Optional.of(pods),
        validated && start == Start.READY
            ? new Validation.Passed()
            : new Validation.Pending("the device plugin lists no GPU yet"),
        unhealthyReason,
        podsAsked);
  }

  void write(NodeUpgrade upgrade) {
    merge(labels, upgrade.labels());
    merge(annotations, upgrade.annotations());
    upgrade.unschedulable().ifPresent(value -> unschedulable = value);
  }

  void carryOut(NodeUpgrade upgrade) {
    write(upgrade);
    upgrade.effects().forEach(this::carryOut);
    remember(upgrade);
  }

  /// What the operator keeps to itself, until it is killed.
  void remember(NodeUpgrade upgrade) {
    podsAsked = upgrade.after().podsAsked();
  }

  void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Evict(PodName evicted) -> {
        if (!pinned && ready) {
          evict(evicted);
        }
      }
      case Effect.DeleteDriver(PodName deleted) -> {
        if (deleted.uid().equals("driver-" + pod)) {
          terminating = true;
        }
      }
    }
  }

  private void evict(PodName evicted) {
    if (slow) {
      pods.replaceAll(
          pod -> pod.name().equals(evicted) ? GivenPod.pod(evicted).ending().observed() : pod);
    } else {
      pods.removeIf(pod -> pod.name().equals(evicted));
    }
  }

  /// Those that were evicted have saved their work.
  void podsEnd() {
    pods.removeIf(NodePod::terminating);
  }

  /// Its DaemonSet and kubelet go one step; nothing happens while the kubelet is silent.
  void live(String target, Start next) {
    if (!ready) {
      return;
    }
    if (terminating) {
      terminating = false;
      start = Start.GONE;
    } else if (start == Start.GONE) {
      pod++;
      version = target;
      start = Start.STARTING;
      validated = false;
    } else if (start != Start.READY) {
      start = next;
    } else {
      validated = true;
    }
  }

  void falls(Instant now) {
    readySince = ready ? now : readySince;
    ready = false;
  }

  void comesBack(Instant now) {
    readySince = ready ? readySince : now;
    ready = true;
  }

  /// All that ran starts again.
  void reboots(Instant now) {
    ready = true;
    readySince = now;
    validated = false;
    start = start == Start.GONE ? Start.GONE : Start.STARTING;
  }

  /// Another machine under the same name, of which nothing is recorded.
  void isReplaced(Instant now) {
    reboots(now);
    labels.clear();
    annotations.clear();
    pods.clear();
    unhealthyReason = Optional.empty();
    unschedulable = false;
    cordonedByAdmin = false;
    terminating = false;
    start = Start.GONE;
  }

  /// Another DaemonSet is in charge of it, as after another kernel was booted: its driver pod goes.
  void movesToAnotherPool() {
    terminating = start != Start.GONE;
  }

  void schedule(int number) {
    if (!unschedulable && ready) {
      var podName = new PodName("team", "train-" + number, "pod-" + name + number);
      pods.add(GivenPod.pod(podName).observed());
    }
  }

  private Readiness readiness() {
    return ready
        ? Readiness.ready(Optional.of(readySince))
        : Readiness.notReady(true, "NodeStatusUnknown", Optional.of(readySince));
  }

  private DriverPod driver(String target) {
    return new DriverPod(
        new PodName("gpu-operator", "driver-" + name + "-" + pod, "driver-" + pod),
        version.equals(target),
        "nvidia-driver-daemonset",
        version,
        target,
        terminating,
        start == Start.READY && !terminating,
        driverReadySince,
        start == Start.CRASHING ? 11 : 0,
        start == Start.CRASHING
            ? Optional.of(
                new DriverPod.Trouble(
                    DriverPod.Trouble.Kind.STUCK,
                    "CrashLoopBackOff: back-off 5m0s restarting failed container"))
            : Optional.empty(),
        Optional.empty());
  }

  private static void merge(Map<String, String> values, Map<String, @Nullable String> changes) {
    changes.forEach((key, value) -> {
      if (value == null) {
        values.remove(key);
      } else {
        values.put(key, value);
      }
    });
  }
}
