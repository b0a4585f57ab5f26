package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.compare.FactLeaves;
import dev.pitcrew.testbed.scenario.facts.ClusterFacts;
import dev.pitcrew.testbed.scenario.facts.ClusterObjects;
import dev.pitcrew.testbed.scenario.facts.FactsRecorder;
import java.time.Duration;

/// Waits for a cluster to come to rest and records it then.
///
/// @param changes what restarts the quiet
record Settling(FactsRecorder recorder, ChangeSignal changes) {
  private static final Duration RECHECK = Duration.ofMillis(500);

  /// The facts of a cluster, and whether it was at rest or only out of time.
  record Settled(ObjectNode facts, boolean isAtRest) {}

  /// Records once nothing has changed for the pace's quiet, the controller manager has counted each
  /// DaemonSet and all awaited facts hold; or when the limit is over.
  Settled settle(Pace pace) throws InterruptedException {
    var deadline = Deadline.in(pace.limit());
    while (changes.awaitQuiet(pace.quiet(), deadline)) {
      var objects = recorder.read();
      var isWhole = changes.awaitQuiet(pace.quiet(), Deadline.in(Duration.ZERO));
      if (isWhole && objects.isCounted() && holds(objects, pace)) {
        return new Settled(ClusterFacts.of(objects, recorder.recording()), true);
      }
      if (deadline.isOver()) {
        break;
      }
      changes.awaitChange(RECHECK);
    }
    return new Settled(recorder.record(), false);
  }

  private boolean holds(ClusterObjects objects, Pace pace) {
    if (pace.until().isEmpty()) {
      return true;
    }
    var facts = FactLeaves.of(ClusterFacts.of(objects, recorder.recording().draft()));
    return facts.entrySet().containsAll(pace.until().entrySet());
  }
}
