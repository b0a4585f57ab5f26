package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
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

  public ChangeOutcome run(DesiredLayout wish, ChangeOptions options) {
    return run(wish, options, ChangeHooks.NONE);
  }

  /// @param hooks asked before something is changed
  public ChangeOutcome run(DesiredLayout wish, ChangeOptions options, ChangeHooks hooks) {
    Instant latest = clock.instant().plus(options.deadline());
    try {
      MigNode node = readNode();
      List<MigGpu> gpus = node.gpus();
      Optional<Checkpoint> unfinished = journal.read();
      List<String> refusals = wish.refusals(node);
      if (!refusals.isEmpty()) {
        return refused(String.join("; ", refusals), unfinished, options);
      }
      if (wish.steps(gpus).isEmpty()) {
        journal.end();
        return done(false, unread(wish, node));
      }
      Optional<String> hindrance = hooks.before(wish.steps(gpus));
      if (hindrance.isPresent()) {
        return refused(hindrance.get(), unfinished, options);
      }
      Optional<String> busy = awaitIdle(wish, options.busy(), latest);
      if (busy.isPresent()) {
        return refused(busy.get(), unfinished, options);
      }
      Checkpoint now = Checkpoint.of(touched(wish, gpus));
      return change(wish, unfinished.map(it -> it.and(now)).orElse(now), options, latest);
    } catch (StepRun.Stopped stopped) {
      return new ChangeOutcome.Refused(stopped.reason());
    }
  }

  /// The GPUs that something will be done to: no other is given back, or waited for.
  private static List<MigGpu> touched(DesiredLayout wish, List<MigGpu> gpus) {
    return wish.steps(gpus).stream().map(GpuPlan.Steps::gpu).toList();
  }

  private ChangeOutcome change(
      DesiredLayout wish, Checkpoint before, ChangeOptions options, Instant latest)
      throws StepRun.Stopped {
    Optional<String> unkept = journal.begin(before);
    if (unkept.isPresent()) {
      return new ChangeOutcome.Refused(unkept.get());
    }
    Optional<Failure> failure = carryOut(wish, options.skipsReset(), latest);
    if (failure.filter(it -> it.isOfMode() && options.mayReboot()).isPresent()) {
      return new ChangeOutcome.AwaitsReboot(failure.get().reason());
    }
    if (failure.isPresent()) {
      return restored(failure.get().reason(), before, options.deadline());
    }
    journal.end();
    return done(true, unread(wish, readNode()));
  }

  private static ChangeOutcome done(boolean isChanged, Optional<String> unread) {
    return unread
        .<ChangeOutcome>map(reason -> new ChangeOutcome.Incomplete(reason, isChanged))
        .orElse(new ChangeOutcome.Done(isChanged));
  }

  /// The GPUs of which something may be wanted and that cannot be read.
  private static Optional<String> unread(DesiredLayout wish, MigNode node) {
    return Optional.of(
            node.unreadable().stream()
                .filter(gpu -> wish.concerns(gpu, node.gpus()))
                .map(gpu -> "GPU %d cannot be read: %s".formatted(gpu.index(), gpu.reason()))
                .collect(Collectors.joining("; ")))
        .filter(text -> !text.isEmpty());
  }

  /// Who was killed may have left the GPUs half-way.
  private ChangeOutcome refused(
      String reason, Optional<Checkpoint> unfinished, ChangeOptions options) {
    return unfinished
        .map(before -> restored(reason, before, options.deadline()))
        .orElseGet(() -> new ChangeOutcome.Refused(reason));
  }

  private ChangeOutcome restored(String reason, Checkpoint before, Duration deadline) {
    progress.report("rolling back: " + reason);
    Optional<String> failure =
        carryOut(before, false, clock.instant().plus(deadline))
            .map(Failure::reason)
            .or(() -> missing(before));
    if (failure.isEmpty()) {
      journal.end();
      return new ChangeOutcome.Failed(reason, true);
    }
    return new ChangeOutcome.Failed(reason + "; the rollback failed: " + failure.get(), false);
  }

  /// @param isOfMode whether a mode was set that did not come into force
  private record Failure(String reason, boolean isOfMode) {
    static Failure of(String reason) {
      return new Failure(reason, false);
    }
  }

  /// @return why it did not succeed
  private Optional<Failure> carryOut(DesiredLayout wish, boolean skipsReset, Instant latest) {
    try {
      var run = new StepRun(access, clock, latest, progress);
      List<GpuPlan.Steps> all = wish.steps(read());
      run.changeModes(all);
      if (!skipsReset) {
        run.reset(read(), wish);
      }
      List<MigGpu> inMode = read();
      // Some drivers list profiles in MIG mode only: what was planned before did not know them.
      List<String> impossible = wish.impossible(inMode);
      if (!impossible.isEmpty()) {
        return Optional.of(Failure.of(String.join("; ", impossible)));
      }
      List<GpuPlan.Steps> rest = wish.steps(inMode);
      boolean isWaiting = skipsReset && rest.stream().allMatch(GpuPlan.Steps::changesMode);
      if (isWaiting) {
        return Optional.empty();
      }
      run.divide(rest);
      MigNode after = readNode();
      return lost(all, after).or(() -> difference(wish.steps(after.gpus()))).map(Failure::of);
    } catch (StepRun.Stopped stopped) {
      return Optional.of(new Failure(stopped.reason(), stopped.isOfMode()));
    }
  }

  private static Optional<String> lost(List<GpuPlan.Steps> touched, MigNode after) {
    return after.unreadable().stream()
        .filter(gpu -> touched.stream().anyMatch(plan -> plan.gpu().index() == gpu.index()))
        .findFirst()
        .map(gpu -> "GPU %d can no longer be read: %s".formatted(gpu.index(), gpu.reason()));
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

  /// What was there once and cannot be looked at now is not known to be as it was.
  private Optional<String> missing(Checkpoint before) {
    try {
      return before.missing(read()).stream().findFirst().map(uuid -> uuid + " cannot be read");
    } catch (StepRun.Stopped stopped) {
      return Optional.of(stopped.reason());
    }
  }

  private List<MigGpu> read() throws StepRun.Stopped {
    return readNode().gpus();
  }

  private MigNode readNode() throws StepRun.Stopped {
    var answer = access.gpus().flatMap(gpus -> gpus.read());
    if (answer instanceof Answer.Value<MigNode>(var node)) {
      return node;
    }
    throw new StepRun.Stopped(answer.reason());
  }

  /// @return what still blocks the change in the end, if anything
  private Optional<String> awaitIdle(DesiredLayout wish, BusyPolicy policy, Instant latest)
      throws StepRun.Stopped {
    Optional<String> busy = busy(wish.steps(read()));
    while (busy.isPresent() && policy == BusyPolicy.WAIT && clock.instant().isBefore(latest)) {
      progress.report("waiting: " + busy.get());
      // NVML does not report the end of a process.
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
