package dev.pitcrew.testbed.scenario.play;

import dev.pitcrew.testbed.scenario.facts.NodeFacts;
import java.time.Duration;
import java.util.Map;

/// When a cluster counts as settled.
///
/// @param quiet how long nothing must change
/// @param limit how long to wait for that at most
/// @param until facts that must hold, as JSON text by path
record Pace(Duration quiet, Duration limit, Map<String, String> until) {

  Pace {
    until = Map.copyOf(until);
  }

  Pace atLeastQuietFor(Duration duration) {
    return quiet.compareTo(duration) < 0 ? new Pace(duration, limit, until) : this;
  }

  /// Whether the end of a driver upgrade is awaited, and thus a fact.
  boolean awaitsUpgrade() {
    return until.keySet().stream().anyMatch(path -> path.contains(NodeFacts.UPGRADE_STATE));
  }
}
