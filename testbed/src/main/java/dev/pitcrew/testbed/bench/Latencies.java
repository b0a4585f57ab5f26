package dev.pitcrew.testbed.bench;

import java.time.Duration;
import java.util.List;

/// How long each trial of one measure took, the shortest first.
record Latencies(List<Duration> sorted) {
  Latencies {
    sorted = sorted.stream().sorted().toList();
  }

  /// The smallest latency that `percent` of the trials did not exceed.
  Duration percentile(int percent) {
    var rank = (int) Math.ceil(sorted.size() * percent / 100.0);
    return sorted.get(Math.max(rank, 1) - 1);
  }

  int trials() {
    return sorted.size();
  }
}
