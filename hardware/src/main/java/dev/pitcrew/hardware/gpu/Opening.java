package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.driver.NvmlPath;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// Opens NVML with a deadline of its own.
final class Opening {
  private static final String OPENING = "opening NVML";

  // Without a persistence daemon the driver wakes every GPU first, some seconds each.
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /// What is being opened and was given up. A driver that hangs then is not asked again before it
  /// has answered: each question would cost a thread.
  private static final Set<String> HANGING = ConcurrentHashMap.newKeySet();

  private Opening() {}

  /// The library that the settings name, or the one below their driver root. One that is opened
  /// after the deadline is closed again.
  static Answer<NvmlLibrary> of(GpuSettings settings) {
    String library =
        settings.library().orElseGet(() -> NvmlPath.in(settings.driver().now().files()));
    if (HANGING.contains(library)) {
      return Answer.failed(NvmlError.UNRESPONSIVE, OPENING);
    }
    var claim = settings.use().claim();
    try (var lane = new Lane(DEADLINE)) {
      var isTaken = new AtomicBoolean();
      var job = lane.begin(OPENING, () -> open(library, isTaken, claim));
      var answer = job.within(DEADLINE).orElseGet(() -> givenUp(library, job, isTaken));
      if (!job.hasBegun()) {
        // Nothing hangs: the caller was interrupted before.
        HANGING.remove(library);
        claim.close();
      }
      return answer;
    }
  }

  private static Answer<NvmlLibrary> givenUp(
      String library, Job<NvmlLibrary> job, AtomicBoolean isTaken) {
    HANGING.add(library);
    if (isTaken.compareAndSet(false, true)) {
      return job.giveUp();
    }
    // It has come at the last moment: the answer is only to be laid down.
    HANGING.remove(library);
    while (job.isRunning()) {
      Thread.onSpinWait();
    }
    return job.giveUp();
  }

  private static Answer<NvmlLibrary> open(
      String library, AtomicBoolean isTaken, NvmlUse.Claim claim) {
    var opened = NvmlLibrary.open(library, claim, Job::callReturned);
    if (!isTaken.compareAndSet(false, true)) {
      opened.toOptional().ifPresent(NvmlLibrary::close);
      HANGING.remove(library);
    }
    return opened;
  }
}
