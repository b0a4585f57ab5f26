package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/// Tells a GPU that hangs from one whose calls wait for the driver's resource manager.
///
/// One lock serializes most calls into the manager, of all processes. It is held for seconds while
/// a GPU is initialized, divided or reset. A late call is evidence of a hang only while the manager
/// answers a call that takes the same lock; cached answers such as nvmlDeviceGetCount prove
/// nothing. Not for several threads.
final class HangDetector {
  /// The manager may have been held until just before it answered.
  private static final int MISSES_OF_A_HANG = 2;

  /// A free manager answers within milliseconds.
  static final Duration PATIENCE = Duration.ofMillis(250);

  private final NvmlLibrary nvml;
  private final IntFunction<Lane> lanes;
  private final Lane manager;
  private final Map<Integer, Integer> misses = new HashMap<>();

  /// @param lanes the thread of each GPU
  /// @param manager a thread for calls that may wait for the manager
  HangDetector(NvmlLibrary nvml, IntFunction<Lane> lanes, Lane manager) {
    this.nvml = nvml;
    this.lanes = lanes;
    this.manager = manager;
  }

  /// Whether the GPU has been late several times while the manager was free, since it answered.
  boolean isHung(int index) {
    return misses.getOrDefault(index, 0) >= MISSES_OF_A_HANG;
  }

  void answered(int index) {
    misses.remove(index);
  }

  /// Counts a miss of each GPU of `late` if the manager is free.
  ///
  /// @param others GPUs that have answered
  void missed(Collection<Integer> late, Collection<Integer> others) {
    if (!late.isEmpty() && isManagerFree(late, others)) {
      late.forEach(index -> misses.merge(index, 1, Integer::sum));
    }
  }

  /// Another GPU is the best evidence. Where several GPUs are late and none answers, the manager is
  /// held: GPUs do not begin to hang together. Where one GPU is late and there is no other, a set
  /// of events is made, which registers a file with the manager (NV_ESC_REGISTER_FD takes the lock,
  /// see escape.c of open-gpu-kernel-modules; that nvmlEventSetCreate does so is an assumption).
  private boolean isManagerFree(Collection<Integer> late, Collection<Integer> others) {
    List<Job<?>> asked =
        others.isEmpty() && late.size() == 1
            ? List.of(manager.begin("asking whether the driver is busy", this::createAndFreeSet))
            : others.stream().<Job<?>>map(this::ask).toList();
    boolean isFree = asked.stream().anyMatch(HangDetector::isAnswered);
    asked.forEach(Job::giveUp);
    return isFree;
  }

  private static boolean isAnswered(Job<?> job) {
    return job.within(PATIENCE).filter(it -> it instanceof Answer.Value).isPresent();
  }

  private Job<Long> ask(int index) {
    return lanes
        .apply(index)
        .begin(
            "asking whether the driver is busy",
            () -> nvml.driver().deviceAt(index).flatMap(nvml.fields()::clockEventReasons));
  }

  private Answer<Boolean> createAndFreeSet() {
    return nvml.events().createSet().flatMap(nvml.events()::freeSet);
  }
}
