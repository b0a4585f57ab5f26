package dev.pitcrew.agent.metrics;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/// The Xids that GPUs reported: the last one of each, and how many of which kind of late. A storm
/// of one GPU pushes out its own oldest ones only.
final class XidLog {
  private static final int KEPT_PER_GPU = 1024;

  private final Map<String, Entries> gpus = new HashMap<>();

  private record Entry(long atNanos, long xid, int gpuInstance) {}

  private static final class Entries {
    private final ArrayDeque<Entry> late = new ArrayDeque<>();
    private final Map<Integer, Long> last = new HashMap<>();
  }

  /// @param gpuInstance empty where the whole GPU is meant
  synchronized void add(String gpuUuid, long xid, OptionalInt gpuInstance) {
    var entries = gpus.computeIfAbsent(gpuUuid, _ -> new Entries());
    if (entries.late.size() == KEPT_PER_GPU) {
      entries.late.removeFirst();
    }
    var entry = new Entry(System.nanoTime(), xid, gpuInstance.orElse(-1));
    entries.late.addLast(entry);
    entries.last.put(entry.gpuInstance(), xid);
  }

  /// The last one of an instance, or of its whole GPU; empty before the first.
  ///
  /// @param gpuInstance -1 for the whole GPU
  synchronized OptionalLong last(String gpuUuid, int gpuInstance) {
    var entries = gpus.get(gpuUuid);
    Long xid =
        entries == null ? null : entries.last.getOrDefault(gpuInstance, entries.last.get(-1));
    return xid == null ? OptionalLong.empty() : OptionalLong.of(xid);
  }

  /// How often each Xid came within the window.
  ///
  /// @param gpuInstance -1 for all of the GPU
  synchronized Map<Long, Integer> counts(String gpuUuid, int gpuInstance, Duration window) {
    var counts = new TreeMap<Long, Integer>();
    var entries = gpus.get(gpuUuid);
    if (entries != null) {
      long oldest = System.nanoTime() - window.toNanos();
      for (Entry entry : entries.late) {
        boolean isOfPart =
            gpuInstance < 0 || entry.gpuInstance() < 0 || entry.gpuInstance() == gpuInstance;
        if (entry.atNanos() - oldest >= 0 && isOfPart) {
          counts.merge(entry.xid(), 1, Integer::sum);
        }
      }
    }
    return counts;
  }
}
