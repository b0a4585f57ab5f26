package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Wish;
import dev.pitcrew.device.mig.DividedGpu;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// Divides the GPUs of a node as it is wanted, or leaves them as they were.
///
/// What was there is kept on the disk before the first effect and until the end, so that a run
/// after one that was killed knows the way back too.
public final class MigChange {
  private static final long BETWEEN_LOOKS_SECONDS = 1;

  private final GpuAccess access;
  private final Journal journal;
  private final InstantSource clock;
  private final Progress progress;

  public MigChange(GpuAccess access, Journal journal, InstantSource clock, Progress progress) {
    this.access = access;
    this.journal = journal;
    this.clock = clock;
    this.progress = progress;
  }

  public ChangeOutcome run(Wish wish, ChangeOptions options) {
    Instant latest = clock.instant().plus(options.deadline());
    try {
      List<DividedGpu> gpus = read();
      Optional<Checkpoint> unfinished = journal.read();
      List<String> refusals = wish.refusals(gpus);
      if (!refusals.isEmpty()) {
        return refused(String.join("; ", refusals), unfinished, options);
      }
      if (wish.steps(gpus).isEmpty()) {
        journal.end();
        return new ChangeOutcome.Done(false);
      }
      Optional<String> busy = awaitIdle(wish, options.busy(), latest);
      if (busy.isPresent()) {
        return refused(busy.get(), unfinished, options);
      }
      return change(wish, unfinished.orElseGet(() -> Checkpoint.of(gpus)), options, latest);
    } catch (StepRun.Stopped stopped) {
      return new ChangeOutcome.Refused(stopped.reason());
    }
  }

  private ChangeOutcome change(
      Wish wish, Checkpoint before, ChangeOptions options, Instant latest) {
    Optional<String> unkept = journal.begin(before);
    if (unkept.isPresent()) {
      return new ChangeOutcome.Refused(unkept.get());
    }
    Optional<String> failure = carryOut(wish, options.skipsReset(), latest);
    if (failure.isEmpty()) {
      journal.end();
      return new ChangeOutcome.Done(true);
    }
    return restored(failure.get(), before, options.deadline());
  }

  /// Who was killed may have left the GPUs half-way.
  private ChangeOutcome refused(
      String reason, Optional<Checkpoint> unfinished, ChangeOptions options) {
    return unfinished
        .map(before -> restored(reason, before, options.deadline()))
        .orElseGet(() -> new ChangeOutcome.Refused(reason));
  }

  private ChangeOutcome restored(String reason, Checkpoint before, Duration deadline) {
    progress.tell("going back: " + reason);
    Optional<String> failure = carryOut(before, false, clock.instant().plus(deadline));
    if (failure.isEmpty()) {
      journal.end();
      return new ChangeOutcome.Failed(reason, true);
    }
    return new ChangeOutcome.Failed(reason + "; going back: " + failure.get(), false);
  }

  /// @return why it did not succeed
  private Optional<String> carryOut(Wish wish, boolean skipsReset, Instant latest) {
    try {
      var run = new StepRun(access, clock, latest, progress);
      run.changeModes(wish.steps(read()));
      if (!skipsReset) {
        run.reset(read(), wish);
      }
      List<GpuPlan.Steps> rest = wish.steps(read());
      boolean isWaiting = skipsReset && rest.stream().allMatch(GpuPlan.Steps::changesMode);
      if (isWaiting) {
        return Optional.empty();
      }
      run.divide(rest);
      return difference(wish.steps(read()));
    } catch (StepRun.Stopped stopped) {
      return Optional.of(stopped.reason());
    }
  }

  // What a library says it did and what it did are two things.
  private static Optional<String> difference(List<GpuPlan.Steps> left) {
    return left.isEmpty()
        ? Optional.empty()
        : Optional.of(
            left.stream()
                .map(plan ->
                    "GPU %d shows another layout than it was given: %s is missing"
                        .formatted(plan.gpu().index(), plan.steps().getFirst().text()))
                .collect(Collectors.joining("; ")));
  }

  private List<DividedGpu> read() throws StepRun.Stopped {
    var answer = access.gpus().flatMap(gpus -> gpus.read());
    if (answer instanceof Answer.Value<List<DividedGpu>>(var gpus)) {
      return gpus;
    }
    throw new StepRun.Stopped(answer.reason());
  }

  /// @return who is in the way, if anybody is in the end
  private Optional<String> awaitIdle(Wish wish, BusyPolicy policy, Instant latest)
      throws StepRun.Stopped {
    Optional<String> busy = busy(wish.steps(read()));
    while (busy.isPresent() && policy == BusyPolicy.WAIT && clock.instant().isBefore(latest)) {
      progress.tell("waiting: " + busy.get());
      // NVML tells of no process that ends.
      try {
        TimeUnit.SECONDS.sleep(BETWEEN_LOOKS_SECONDS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new StepRun.Stopped("interrupted while waiting: " + busy.get());
      }
      busy = busy(wish.steps(read()));
    }
    return busy;
  }

  private static Optional<String> busy(List<GpuPlan.Steps> plans) {
    String text =
        plans.stream()
            .filter(plan -> !plan.processesInTheWay().isEmpty())
            .map(plan ->
                "GPU %d is in use by process %s"
                    .formatted(
                        plan.gpu().index(),
                        plan.processesInTheWay().stream()
                            .map(String::valueOf)
                            .collect(Collectors.joining(", "))))
            .collect(Collectors.joining("; "));
    return Optional.of(text).filter(found -> !found.isEmpty());
  }
}
