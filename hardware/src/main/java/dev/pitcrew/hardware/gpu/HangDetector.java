package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/// Distinguishes a GPU that hangs from one whose calls wait for the driver's resource manager.
///
/// One lock serializes most calls into the manager, of all processes. It is held for seconds while
/// a GPU is initialized, divided or reset. A late call is evidence of a hang only while the manager
/// answers a call that takes the same lock. On an H100 and an H200 with driver 580.159.04, memory,
/// processes, MIG mode and the registration for events waited for it. Count and handles, clock
/// event reasons, clocks, temperature, power, utilization and making a set of events did not: they
/// prove nothing.
///
/// 1. A look finds the GPUs that are late, and of each the call that it waits for, which is one
///    that has been made. What waits for a processor makes none, and what is slow makes another
///    one.
/// 2. Another GPU is asked something that takes the lock. Without an answer nothing is concluded.
/// 3. Where the call of a late GPU has not returned meanwhile, that is a miss.
/// 4. The same call missing in several looks is a hang, until the GPU answers.
///
/// Not for several threads.
final class HangDetector {
  /// The manager may have been held until just before it answered, and a thread of this process may
  /// get no processor for as long: half an hour of load on two processors had one such pair.
  static final int MISSES_OF_A_HANG = 3;

  /// A free manager answers within milliseconds, and a GPU does within less than that.
  static final Duration TIMEOUT = Duration.ofMillis(250);

  private final NvmlLibrary nvml;
  private final IntFunction<Lane> lanes;
  private final Map<Integer, Misses> misses = new HashMap<>();

  /// @param progressNanos of the lane since the call was made
  private record Misses(long progressNanos, int count) {}

  /// @param lanes the thread of each GPU
  HangDetector(NvmlLibrary nvml, IntFunction<Lane> lanes) {
    this.nvml = nvml;
    this.lanes = lanes;
  }

  /// Whether one call has been missing several times while the manager was free, since the GPU
  /// answered.
  boolean isHung(int index) {
    var missed = misses.get(index);
    return missed != null && missed.count() >= MISSES_OF_A_HANG;
  }

  void answered(int index) {
    misses.remove(index);
  }

  /// Counts a miss of each GPU of `late` that waits for a call while the manager is free.
  ///
  /// @param others GPUs that have answered
  void missed(Collection<Integer> late, Collection<Integer> others) {
    var before = new HashMap<Integer, Long>();
    late.forEach(index -> stuckSince(index).ifPresent(nanos -> before.put(index, nanos)));
    if (!before.isEmpty() && isManagerFree(others)) {
      before.forEach((index, nanos) -> {
        if (stuckSince(index).equals(Optional.of(nanos))) {
          misses.merge(index, new Misses(nanos, 1), HangDetector::sum);
        }
      });
    }
  }

  private Optional<Long> stuckSince(int index) {
    return lanes
        .apply(index)
        .progressNanos()
        .filter(nanos -> System.nanoTime() - nanos >= TIMEOUT.toNanos());
  }

  /// A call that has returned since was slow.
  private static Misses sum(Misses earlier, Misses now) {
    return earlier.progressNanos() == now.progressNanos()
        ? new Misses(now.progressNanos(), earlier.count() + now.count())
        : now;
  }

  /// Another GPU is the only evidence: no call about none is known to take the lock. So the one GPU
  /// of a node hangs, as all GPUs do that are late together, when the manager is held for long.
  private boolean isManagerFree(Collection<Integer> others) {
    List<Job<Long>> asked = others.stream().map(this::ask).toList();
    boolean isFree = asked.stream().anyMatch(HangDetector::isAnswered);
    asked.forEach(Job::giveUp);
    return isFree;
  }

  private static boolean isAnswered(Job<?> job) {
    return job.within(TIMEOUT).filter(it -> it instanceof Answer.Value).isPresent();
  }

  private Job<Long> ask(int index) {
    return lanes
        .apply(index)
        .begin(
            "asking whether the driver is busy",
            () -> nvml.driver().deviceAt(index).flatMap(nvml.devices()::memoryBytes));
  }
}
