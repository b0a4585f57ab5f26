package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Brings the new driver to one node after the other, by deleting the pod of the old one.
record RollOutStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    OperatorRun operator,
    String version)
    implements Step<Policy> {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public String title() {
    return "The new driver rolls out, node by node";
  }

  @Override
  public Policy play(Checks checks) {
    screen.text(
        "A driver pod is not replaced until someone deletes it. The demo does that now, as an"
            + " administrator would.");
    var old = DriverPod.allOf(cluster);
    var width = old.stream().mapToInt(pod -> pod.node().length()).max().orElse(0);
    old.forEach(pod -> replace(pod, width));
    var watch = Stopwatch.start();
    cluster.await(LIMIT, () -> driver().isComplete());
    var policy = new PolicyProgress(screen, cluster, watch).untilReady(LIMIT);
    screen.table(Operand.table(List.of(driver())));
    check(policy, checks);
    return policy;
  }

  private void replace(DriverPod old, int width) {
    var watch = Stopwatch.start();
    var pods = controlPlane.client().pods().inNamespace(old.namespace());
    pods.withName(old.name()).delete();
    try (var _ = screen.waiting(() -> "waiting for the new driver on " + old.node())) {
      cluster.await(LIMIT, () -> successorOf(old).isPresent());
    }
    var tag = successorOf(old).map(DriverPod::tag).orElse("no driver");
    var node = old.node() + " ".repeat(width - old.node().length());
    screen.line("%s  %s -> %s  %s".formatted(node, old.tag(), tag, Words.of(watch.elapsed())));
  }

  private Optional<DriverPod> successorOf(DriverPod old) {
    return DriverPod.allOf(cluster).stream()
        .filter(pod -> pod.node().equals(old.node()))
        .filter(pod -> pod.isReady() && !pod.name().equals(old.name()))
        .findFirst();
  }

  private void check(Policy policy, Checks checks) {
    var pods = DriverPod.allOf(cluster);
    checks.equal(
        "nodes with the new driver",
        driver().desired(),
        pods.stream().filter(pod -> pod.isReady() && pod.runs(version)).count(),
        "kubectl -n gpu-operator describe daemonset says what is missing.");
    checks.equal("the state of " + policy.name(), "ready", policy.state(), policy.message());
    checks.equal(
        "the driver that %s asks for".formatted(policy.name()),
        version,
        policy.driverVersion(),
        "Someone else has changed the ClusterPolicy.");
    checks.equal("the operator still runs", true, operator.isAlive(), "Its log says why not.");
  }

  private Operand driver() {
    return Operand.driverOf(cluster)
        .orElseThrow(() -> new TestbedException("the DaemonSet of the driver is gone"));
  }
}
