package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.node.PodTrouble;
import java.time.Duration;
import java.util.Locale;

/// Shows each new state of a ClusterPolicy, and how many operands are complete by then.
///
/// @param watch since when times are counted
record PolicyProgress(Screen screen, LiveCluster cluster, Stopwatch watch) {
  private static final String NO_STATUS = "-";

  /// Returns the policy when the operator is done with it, or as it is after `limit`.
  ///
  /// @throws dev.pitcrew.testbed.TestbedException if a pod lacks its image
  Policy untilReady(Duration limit) {
    var deadline = Stopwatch.start();
    var policy = cluster.policy();
    print(policy);
    try (var _ = screen.waiting(this::operands)) {
      while (!policy.isReady()) {
        var seen = policy;
        if (!cluster.await(limit.minus(deadline.elapsed()), () -> isChanged(seen))) {
          return policy;
        }
        cluster.requireImages();
        policy = cluster.policy();
        print(policy);
      }
    }
    return policy;
  }

  private boolean isChanged(Policy seen) {
    return !cluster.policy().equals(seen)
        || cluster.troubles().stream().anyMatch(PodTrouble::isOfImage);
  }

  private void print(Policy policy) {
    if (!policy.state().equals(NO_STATUS)) {
      screen.line(
          String.format(
              Locale.ROOT,
              "%+5.1f s  %-8s  %s  %s",
              watch.elapsed().toMillis() / 1000.0,
              policy.state(),
              operands(),
              policy.message()));
    }
  }

  private String operands() {
    var operands = Operand.allOf(cluster);
    return "%d/%d operands"
        .formatted(operands.stream().filter(Operand::isComplete).count(), operands.size());
  }
}
