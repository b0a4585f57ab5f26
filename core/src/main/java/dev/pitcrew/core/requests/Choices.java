package dev.pitcrew.core.requests;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What pods can choose from while nodes have the same, by where the pods may run: pods of one
/// Deployment may run on the same nodes. Users choose how many placements there are, so that only
/// those are remembered that were asked for last.
///
/// Safe for use by many threads.
public final class Choices {
  /// A few hundred KiB; a cluster's Deployments with GPUs have fewer at a time.
  static final int REMEMBERED = 1_000;

  private static final float LOAD_FACTOR = 0.75f;

  private final GpuSupply everywhere;
  private final Collection<NodeOffer> nodes;
  private final ReentrantLock lock = new ReentrantLock();
  private final SequencedMap<Placement, Choice> byPlacement =
      new LinkedHashMap<>(16, LOAD_FACTOR, true);

  /// @param nodes as they are now, or later: who asks for a choice gets what they have then
  public Choices(Collection<NodeOffer> nodes) {
    this.everywhere = GpuSupply.of(nodes);
    this.nodes = nodes;
  }

  public Choice of(Placement placement) {
    lock.lock();
    try {
      @Nullable Choice known = byPlacement.get(placement);
      if (known != null) {
        return known;
      }
      Choice choice = Choice.of(placement, everywhere, nodes);
      byPlacement.put(placement, choice);
      if (byPlacement.size() > REMEMBERED) {
        byPlacement.pollFirstEntry();
      }
      return choice;
    } finally {
      lock.unlock();
    }
  }

  /// How many are remembered.
  int size() {
    lock.lock();
    try {
      return byPlacement.size();
    } finally {
      lock.unlock();
    }
  }
}
