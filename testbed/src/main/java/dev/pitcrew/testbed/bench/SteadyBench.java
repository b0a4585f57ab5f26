package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "steady",
    description = {
      "Check that the operator asks nothing of the API server while nothing concerns it.",
      "",
      "Nodes send heartbeats, labels of another program flip each minute, and all connections are cut"
          + " once. Fails on any call that writes and on any get or list, the leader lease aside."
    })
final class SteadyBench implements Callable<Integer> {
  private static final int NOT_STEADY = 1;
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration START_LIMIT = Duration.ofMinutes(15);

  @Mixin private BenchOptions options = new BenchOptions();

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Default: ${DEFAULT-VALUE}")
  private int nodes;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "Default: ${DEFAULT-VALUE}")
  private int minutes;

  private final PrintWriter console;

  SteadyBench(PrintWriter console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    var setting = options.setting(0);
    say("start of a control plane and %,d nodes".formatted(nodes));
    try (var cluster = setting.cluster(nodes);
        var operator = cluster.start(setting.operator())) {
      say("wait until the policy is ready and the operator at rest");
      var calls = cluster.operatorCalls();
      Await.orFail(
          START_LIMIT, "the policy was not ready on every node", () -> isReady(cluster, operator));
      calls.awaitQuiet(QUIET, START_LIMIT);
      say(minutes + " minutes of heartbeats, foreign labels and one cut");
      var phase = new SteadyPhase(cluster, calls, BenchCluster.gpuNodes(nodes));
      return verdict(phase.run(Duration.ofMinutes(minutes)));
    }
  }

  private boolean isReady(BenchCluster cluster, OperatorUnderTest operator) {
    operator.requireRunning();
    return cluster.isReady(nodes);
  }

  private int verdict(List<Request> asked) {
    say("all calls: " + CallCounts.of(asked).text());
    var mutating = CallCounts.mutating(asked);
    var reading = CallCounts.reading(asked);
    say("besides the lease: %d mutating, %d reading".formatted(mutating, reading));
    return mutating + reading == 0 ? 0 : NOT_STEADY;
  }

  private void say(String line) {
    console.println(line);
    console.flush();
  }
}
