package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;

import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A pod for one row of a table: it has held a GPU for long, a drain moves it, and its controller
/// would make it again, unless the row says otherwise.
final class GivenPod {
  private final PodName name;
  private boolean holdsGpu = true;
  private boolean job;
  private Owner owner = Owner.CONTROLLER;
  private boolean emptyDir;
  private boolean terminating;
  private Optional<String> refusal = Optional.empty();
  private Instant created = Instant.EPOCH;

  private GivenPod(PodName name) {
    this.name = name;
  }

  static GivenPod pod(PodName name) {
    return new GivenPod(name);
  }

  static GivenPod train() {
    return pod(Given.name("train"));
  }

  /// One that may finish.
  static GivenPod job() {
    GivenPod pod = pod(Given.name("job"));
    pod.job = true;
    return pod;
  }

  GivenPod of(Owner value) {
    owner = value;
    return this;
  }

  GivenPod withoutGpu() {
    holdsGpu = false;
    return this;
  }

  GivenPod withData() {
    emptyDir = true;
    return this;
  }

  GivenPod ending() {
    terminating = true;
    return this;
  }

  /// Its eviction was refused.
  GivenPod refused(String why) {
    refusal = Optional.of(why);
    return this;
  }

  /// When it came to the node.
  GivenPod came(Duration ago) {
    created = NOW.minus(ago);
    return this;
  }

  NodePod observed() {
    return new NodePod(name, holdsGpu, job, true, owner, emptyDir, terminating, refusal, created);
  }
}
