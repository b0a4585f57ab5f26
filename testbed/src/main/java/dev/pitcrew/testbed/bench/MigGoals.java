package dev.pitcrew.testbed.bench;

import static dev.pitcrew.testbed.bench.Goal.Unit.CALLS;
import static dev.pitcrew.testbed.bench.Goal.Unit.MILLISECONDS;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// What is measured of changes of MIG. The NVIDIA GPU Operator removes all its pods meanwhile.
final class MigGoals {
  private static final String PAUSED = "node paused";
  private static final String UNKNOWN = "";
  private static final int HALF = 50;
  private static final int ALL = 100;
  private static final double NANOS_PER_MILLI = 1e6;

  private MigGoals() {}

  static List<AgentGoal> all() {
    return List.of(
        time("label → kubelet has 2 × 3g.40gb of one GPU, p50", it -> it.divided(), HALF),
        time("label → kubelet has 2 × 3g.40gb of one GPU, slowest", it -> it.divided(), ALL),
        time("label → kubelet has the whole GPU again, p50", it -> it.whole(), HALF),
        time("all 8 GPUs at once, for each", it -> it.eachOfAll(), ALL),
        lost("other GPUs missing in a device list meanwhile", it -> it.lostInLists()),
        lost("other GPUs missing in the Node's allocatable", it -> it.lostInNode()));
  }

  private static AgentGoal time(
      String measure, Function<MigChanges.Changed, Latencies> which, int percent) {
    return new AgentGoal(
        "MIG: " + measure,
        MILLISECONDS,
        UNKNOWN,
        it -> millis(which.apply(it.mig()).percentile(percent)));
  }

  private static AgentGoal lost(String measure, Function<MigChanges.Changed, Integer> count) {
    return new AgentGoal("MIG: " + measure, CALLS, PAUSED, it -> count.apply(it.mig())).atMost(0);
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / NANOS_PER_MILLI;
  }
}
