package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.RollOut.Wave;
import dev.pitcrew.testbed.operator.OperatorProgram;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// A new driver reaches all nodes, in waves and after a canary, while pods that a budget protects
/// use their GPUs.
///
/// @param server empty where no node is real
record RollOutStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    OperatorProgram program,
    Optional<GpuServer> server)
    implements Step<String> {
  private static final String VERSION = DemoDrivers.NEXT.version();
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int PODS = 6;
  private static final String WORKLOAD =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: inference, namespace: default}
      spec:
        replicas: %1$d
        selector: {matchLabels: {app: inference}}
        template:
          metadata: {labels: {app: inference}}
          spec:
            terminationGracePeriodSeconds: 0
            nodeSelector: {%2$s: %3$s}
            containers:
            - {name: serve, image: example.com/serve:1, resources: {limits: {nvidia.com/gpu: 1}}}
      ---
      apiVersion: policy/v1
      kind: PodDisruptionBudget
      metadata: {name: inference, namespace: default}
      spec: {maxUnavailable: 2, selector: {matchLabels: {app: inference}}}
      """;

  @Override
  public String title() {
    return "Driver %s rolls out: a canary, then wave after wave".formatted(VERSION);
  }

  @Override
  public String play(Checks checks) {
    screen.text(
        "%d pods of a Deployment use GPUs of the L40S nodes; a PodDisruptionBudget lets two go at a time. Agents of simulated nodes are simulated."
            .formatted(PODS));
    var rollOut = new RollOut(screen, controlPlane.client(), cluster);
    rollOut.prepare();
    serve(controlPlane.client());
    if (server.isPresent()) {
      try (var upgrade = upgrade(server.get())) {
        plan(rollOut, checks);
        var sightings = upgrade.sightings(Stopwatch.start());
        rollOut(rollOut, sightings::areAllSeen, checks);
        upgrade.show(sightings, checks);
      }
    } else {
      plan(rollOut, checks);
      rollOut(rollOut, () -> true, checks);
    }
    return VERSION;
  }

  private ServerUpgrade upgrade(GpuServer node) {
    return new ServerUpgrade(screen, controlPlane.client(), cluster, node, VERSION);
  }

  /// @param others what else is to be seen by then
  private void rollOut(RollOut rollOut, BooleanSupplier others, Checks checks) {
    rollOut.want(VERSION);
    var log = watch(rollOut, others);
    screen.table(log.table());
    check(rollOut, log, checks);
  }

  private void serve(KubernetesClient client) {
    var yaml = WORKLOAD.formatted(PODS, RollOut.POOL, RollOut.WAVES.getFirst().name());
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
    try (var _ = screen.waiting(() -> "waiting for the pods")) {
      client
          .apps()
          .deployments()
          .inNamespace("default")
          .withName("inference")
          .waitUntilCondition(
              it -> it != null && Objects.equals(it.getStatus().getReadyReplicas(), PODS),
              LIMIT.toSeconds(),
              TimeUnit.SECONDS);
    }
  }

  /// Asks beforehand what would happen.
  private void plan(RollOut rollOut, Checks checks) {
    var arguments = List.of("rollout", "plan", "--version", VERSION);
    screen.line("$ pitcrew " + String.join(" ", arguments));
    var folder = controlPlane.directory().file("");
    var command = new ArrayList<>(arguments);
    command.addAll(List.of("--kubeconfig", controlPlane.kubeconfigFile().toString()));
    try (var _ = screen.waiting(() -> "waiting for the plan")) {
      var run = CommandRun.of(program.commandLine(command), folder);
      screen.blank();
      run.output().lines().forEach(screen::line);
      screen.blank();
      var nodes = rollOut.nodes();
      checks.equal(
          "nodes that the plan has",
          nodes.size(),
          nodes.stream().filter(node -> run.output().contains(" " + node.name() + " ")).count(),
          "It ended with status %d.".formatted(run.status()));
      checks.equal(
          "nodes that the plan has changed",
          0,
          nodes.stream().filter(node -> !node.state().equals(RollOutNode.DONE)).count(),
          "The plan must only read.");
    }
  }

  private RollOutLog watch(RollOut rollOut, BooleanSupplier others) {
    var watch = Stopwatch.start();
    var log = new RollOutLog(watch);
    log.look(rollOut.nodes());
    try (var _ = screen.waiting(log::words)) {
      cluster.await(
          LIMIT,
          () -> {
            log.look(rollOut.nodes());
            var isSeen = others.getAsBoolean();
            return rollOut.nodes().stream().allMatch(it -> it.hasDriver(VERSION)) && isSeen;
          });
    }
    screen.line("%s after %s".formatted(log.words(), Words.of(watch.elapsed())));
    return log;
  }

  private void check(RollOut rollOut, RollOutLog log, Checks checks) {
    var nodes = rollOut.nodes();
    checks.equal(
        "nodes with driver " + VERSION,
        nodes.size(),
        nodes.stream().filter(it -> it.hasDriver(VERSION)).count(),
        "kubectl get gpunodes -o wide names what each of them waits for.");
    checks.equal(
        "never more than %d nodes out of service".formatted(RollOut.AT_ONCE),
        true,
        log.mostCordoned() <= RollOut.AT_ONCE,
        "There were %d.".formatted(log.mostCordoned()));
    checks.equal(
        "nodes that stay cordoned",
        0,
        nodes.stream().filter(RollOutNode::isCordoned).count(),
        "Their annotation pitcrew.dev/driver-upgrade-cordoned shows whether the operator did that.");
    for (int i = 1; i < RollOut.WAVES.size(); i++) {
      follows(log, RollOut.WAVES.get(i - 1), RollOut.WAVES.get(i), checks);
    }
  }

  private static void follows(RollOutLog log, Wave first, Wave second, Checks checks) {
    var end =
        log.wave(first.name()).stream()
            .flatMap(it -> log.done(it.name()).stream())
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
    var start =
        log.wave(second.name()).stream()
            .flatMap(it -> log.began(it.name()).stream())
            .min(Comparator.naturalOrder())
            .orElse(end);
    checks.equal(
        "wave %s begins after wave %s".formatted(second.name(), first.name()),
        true,
        start.compareTo(end) >= 0,
        "It began at %s, the other ended at %s.".formatted(Words.of(start), Words.of(end)));
  }
}
