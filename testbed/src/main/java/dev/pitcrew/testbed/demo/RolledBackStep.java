package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Event;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// A driver that does not come up stops at the canary, and the canary gets its former driver back.
///
/// @param version the driver that all nodes have
/// @param server empty where no node is real
record RolledBackStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    OperatorRun operator,
    String version,
    Optional<GpuServer> server)
    implements Step<Policy> {
  /// The test bed lets no container of such a version come up.
  private static final String BAD = "666.10.01";

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String REASON = "GPUDriverRollback";

  @Override
  public String title() {
    return "Driver %s fails on the canary, and is rolled back".formatted(BAD);
  }

  @Override
  public Policy play(Checks checks) {
    if (server.isEmpty()) {
      return rollBack(checks);
    }
    var node = server.get().name();
    try (var pod = TrainingPod.watch(controlPlane.client(), cluster)) {
      cluster.await(LIMIT, () -> pod.running().isPresent());
      var before = pod.view(node);
      var policy = rollBack(checks);
      var after = pod.view(node);
      screen.blank();
      screen.text(
          "%s, which the roll-out did not reach, has driver %s, %s and %s."
              .formatted(node, after.gpuNode(), after.driverPod(), after.workload()));
      checks.equal(
          "%s, its driver and its pods".formatted(node),
          before,
          after,
          "The roll-out did not reach it, so nothing there may change.");
      return policy;
    }
  }

  private Policy rollBack(Checks checks) {
    var rollOut = new RollOut(screen, controlPlane.client(), cluster);
    rollOut.want(BAD);
    var watch = Stopwatch.start();
    var log = new RollOutLog(watch);
    var sightings =
        new Sightings(watch)
            .of("canary failed", () -> isSeen(log, rollOut), () -> failed(log))
            .of("rolled back", () -> !cluster.policy().isReady() && isRolledBack(), this::message)
            .of("former driver everywhere", () -> isEverywhere(log, rollOut), log::words);
    try (var _ = screen.waiting(log::words)) {
      sightings.await(cluster, LIMIT);
    }
    screen.table(sightings.table("AFTER THE EDIT"));
    show();
    sightings.check(checks, "kubectl get events -A --field-selector reason=GPUDriverUpgrade");
    checks.equal(
        "nodes that had the failing driver",
        1,
        log.failures().size(),
        "Only the canary should: " + String.join(", ", log.failures().keySet()));
    return settle(rollOut, checks);
  }

  private boolean isSeen(RollOutLog log, RollOut rollOut) {
    log.look(rollOut.nodes());
    return !log.failures().isEmpty();
  }

  private boolean isEverywhere(RollOutLog log, RollOut rollOut) {
    log.look(rollOut.nodes());
    return isRolledBack() && rollOut.nodes().stream().allMatch(it -> it.hasDriver(version));
  }

  private static String failed(RollOutLog log) {
    return String.join(
        "; ",
        log.failures().entrySet().stream().map(it -> it.getKey() + ": " + it.getValue()).toList());
  }

  private boolean isRolledBack() {
    return cluster.policy().message().contains("has its former driver");
  }

  private String message() {
    return cluster.policy().message();
  }

  private void show() {
    screen.table(
        Table.of(
            List.of("EVENT", "ABOUT", "MESSAGE"),
            rollbacks()
                .map(it ->
                    List.of(
                        it.getReason(),
                        it.getInvolvedObject().getName(),
                        Objects.toString(it.getMessage(), "")))));
    screen.blank();
  }

  private Stream<Event> rollbacks() {
    return controlPlane.client().v1().events().inAnyNamespace().list().getItems().stream()
        .filter(event -> REASON.equals(event.getReason()));
  }

  /// The administrator agrees: the former version is what the policy asks for, too.
  private Policy settle(RollOut rollOut, Checks checks) {
    rollOut.want(version);
    var policy = new PolicyProgress(screen, cluster, Stopwatch.start()).untilReady(LIMIT);
    screen.table(Operand.table(Operand.driverOf(cluster).stream().toList()));
    checks.equal("the state of " + policy.name(), "ready", policy.state(), policy.message());
    checks.equal(
        "nodes with driver " + version,
        rollOut.nodes().size(),
        DriverPod.allOf(cluster).stream().filter(it -> it.isReady() && it.runs(version)).count(),
        "kubectl get gpunodes -o wide names what each of them waits for.");
    checks.equal("the operator still runs", true, operator.isAlive(), "Its log says why not.");
    return policy;
  }
}
