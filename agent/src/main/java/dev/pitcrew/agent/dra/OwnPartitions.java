package dev.pitcrew.agent.dra;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/// The partitions that belong to claims, by name, as far as the ResourceSlices are concerned. One
/// that was removed still counts for a moment: the inventory may show it yet, and the slices would
/// change as for an instance of another owner.
final class OwnPartitions {
  /// For an inventory that shows the change.
  private static final Duration SHOWN_WITHIN = Duration.ofSeconds(10);

  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private Set<String> now = Set.of();
  private final Map<String, Instant> removed = new HashMap<>();

  OwnPartitions(InstantSource clock) {
    this.clock = clock;
  }

  /// @param own all that claims have made, or are about to make
  void set(Set<String> own) {
    lock.lock();
    try {
      Instant until = clock.instant().plus(SHOWN_WITHIN);
      now.stream().filter(name -> !own.contains(name)).forEach(name -> removed.put(name, until));
      now = Set.copyOf(own);
    } finally {
      lock.unlock();
    }
  }

  Set<String> names() {
    lock.lock();
    try {
      removed.values().removeIf(until -> !clock.instant().isBefore(until));
      var names = new HashSet<>(removed.keySet());
      names.addAll(now);
      return Set.copyOf(names);
    } finally {
      lock.unlock();
    }
  }
}
