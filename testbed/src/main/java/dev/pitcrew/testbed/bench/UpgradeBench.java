package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.bench.UpgradeFigures.Memory;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.AuditTail;
import dev.pitcrew.testbed.nodes.SimulatedAgents;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Rolls a new driver through simulated nodes, on a cluster of its own.
final class UpgradeBench {
  private static final String VERSION = "600.10.01";
  private static final Duration START_LIMIT = Duration.ofMinutes(8);
  private static final Duration ROLL_LIMIT = Duration.ofMinutes(30);
  private static final Duration QUIET = Duration.ofSeconds(5);
  private static final Duration QUIET_LIMIT = Duration.ofMinutes(2);

  /// The default for how many at a time: one in so many.
  private static final int SHARE = 25;

  private final UpgradeCluster cluster;
  private final OperatorUnderTest operator;
  private final int size;
  private final int parallel;
  private final Consumer<String> progress;

  private UpgradeBench(
      UpgradeCluster cluster,
      OperatorUnderTest operator,
      int size,
      int parallel,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.operator = operator;
    this.size = size;
    this.parallel = parallel;
    this.progress = progress;
  }

  /// @param parallel how many nodes at a time; empty for one in twenty-five
  /// @param progress receives what is being done, a line at a time
  static UpgradeFigures run(
      BenchedOperator operator,
      Path chart,
      int size,
      Optional<Integer> parallel,
      Consumer<String> progress) {
    var load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    var atATime = parallel.orElse(Math.max(1, size / SHARE));
    progress.accept("%,d nodes: start of a control plane, the chart and the nodes".formatted(size));
    try (var cluster = UpgradeCluster.start(chart, size, atATime);
        var running = cluster.start(operator)) {
      return new UpgradeBench(cluster, running, size, atATime, progress).run(load);
    }
  }

  private UpgradeFigures run(double load) {
    try (var eye = FleetEye.open(cluster.client());
        var agents = SimulatedAgents.start(cluster.client(), cluster.gpuNodes())) {
      say("wait until all nodes have the first driver");
      await(START_LIMIT, "not all nodes have a driver", () -> eye.done(false) == size);
      var calls = new OperatorCalls(new AuditTail(cluster.auditLog(), cluster.operatorUser()));
      calls.awaitQuiet(QUIET, QUIET_LIMIT);
      eye.begin();
      var before = operator.figures();
      say("the roll-out, %,d nodes at a time".formatted(parallel));
      var asked = Instant.now();
      ask();
      var peak = new Peak(before.residentMib(), before.anonymousMib());
      var watched = new Watched(peak);
      await(ROLL_LIMIT, "the roll-out did not end", () -> watched.sees(eye));
      calls.awaitQuiet(QUIET, QUIET_LIMIT);
      var memory =
          new Memory(before, watched.peak.mib(), watched.peak.anonymousMib(), operator.figures());
      var all = since(asked);
      var fleet = new RollOutTrace.Fleet(cluster.operatorUser(), agents.places(), eye.states());
      var nodes = RollOutTrace.of(fleet, all, parallel);
      return new UpgradeFigures(
          parallel, load, asked, nodes, calls.since(asked), memory, eye.mostCordoned());
    }
  }

  private void ask() {
    cluster
        .client()
        .genericKubernetesResources(Definitions.CLUSTER_POLICY)
        .withName("cluster-policy")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"driver\":{\"version\":\"%s\"}}}".formatted(VERSION));
  }

  /// The requests of all users.
  private List<Request> since(Instant begin) {
    return cluster.auditLog().requests().stream()
        .filter(request -> !request.received().isBefore(begin))
        .toList();
  }

  private void await(Duration limit, String problem, BooleanSupplier condition) {
    Await.orFail(
        limit,
        problem,
        () -> {
          operator.requireRunning();
          return condition.getAsBoolean();
        });
  }

  /// The most memory that was seen.
  private record Peak(long mib, long anonymousMib) {
    Peak and(ProcessFigures now) {
      return new Peak(Math.max(mib, now.residentMib()), Math.max(anonymousMib, now.anonymousMib()));
    }
  }

  private final class Watched {
    private Peak peak;

    private Watched(Peak peak) {
      this.peak = peak;
    }

    private boolean sees(FleetEye eye) {
      peak = peak.and(operator.figures());
      return eye.done(true) == size;
    }
  }

  private void say(String what) {
    progress.accept("%,d nodes: %s".formatted(size, what));
  }
}
