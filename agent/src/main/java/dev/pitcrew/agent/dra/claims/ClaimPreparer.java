package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.Planned;
import dev.pitcrew.agent.dra.claims.plan.ClaimSpecification;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.Overlap;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder;
import dev.pitcrew.agent.state.FileReports;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares and unprepares the claims of a node. Each call is a journal of steps: what a step is
/// about to change is in the checkpoint before it does, so that a process that is killed after any
/// step leaves nothing that the next call for the claim does not repeat or roll back.
///
/// Prepare:
/// 1. A claim that is completed and has its CDI file gets its stored answer.
/// 2. The allocation is read; a claim without devices of this node is refused.
/// 3. A device that another completed claim holds is refused ([Overlap]).
/// 4. `PrepareStarted` is written, with the time slices that step 6 sets.
/// 5. Settings are resolved ([ClaimPlan]); a problem with them is the answer.
/// 6. Time slices are set.
/// 7. The CDI file is written.
/// 8. `PrepareCompleted` is written, and is the answer.
///
/// A step that fails after step 4 rolls back 7 and 6 in the same call and leaves `PrepareStarted`,
/// or the entry that was completed before, until kubelet tries again or unprepares the claim.
///
/// Unprepare:
/// 1. A claim that is not in the checkpoint is done.
/// 2. The CDI file is removed: from here on, a call to prepare the claim does all of it again.
/// 3. Time slices are reset on those of its GPUs whose time slice no other claim has set.
/// 4. The entry is removed.
///
/// Calls for different claims run side by side unless they concern the same device. The lock of the
/// claim is taken before those of its devices.
public final class ClaimPreparer {
  /// After which a process may be killed.
  enum Step {
    STARTED,
    TIME_SLICED,
    FILE_WRITTEN,
    COMPLETED,
    FILE_REMOVED,
    TIME_SLICES_RESET,
    REMOVED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClaimPreparer.class);

  private final ClaimCheckpoint checkpoint;
  private final ClaimFiles files;
  private final FeatureSwitches switches;
  private final SettingsDecoder decoder;
  private final ClaimTimeSlices slices;
  private final Consumer<Step> steps;
  private final KeyedLocks claimLocks = new KeyedLocks();
  private final KeyedLocks deviceLocks = new KeyedLocks();

  private ClaimPreparer(
      ClaimCheckpoint checkpoint,
      ClaimFiles files,
      FeatureSwitches switches,
      SharingStep sharing,
      Consumer<Step> steps) {
    this.checkpoint = checkpoint;
    this.files = files;
    this.switches = switches;
    this.decoder = new SettingsDecoder(switches);
    this.slices = new ClaimTimeSlices(checkpoint, sharing);
    this.steps = steps;
  }

  /// Continues with the checkpoint that is there. It never fails: what is damaged is set aside and
  /// reported.
  ///
  /// @param reports receives what is wrong with the checkpoint, and that it is right again
  public static ClaimPreparer open(
      ClaimPlaces places, FeatureSwitches switches, SharingStep sharing, FileReports reports) {
    return open(places, switches, sharing, reports, _ -> {});
  }

  static ClaimPreparer open(
      ClaimPlaces places,
      FeatureSwitches switches,
      SharingStep sharing,
      FileReports reports,
      Consumer<Step> steps) {
    var files = new ClaimFiles(places.cdi());
    return new ClaimPreparer(
        ClaimCheckpoint.open(places, files, reports), files, switches, sharing, steps);
  }

  /// The claims of the checkpoint, by UID. Those that are started and gone from the API server are
  /// to be unprepared by the caller.
  public SortedMap<String, PreparedClaim> claims() {
    return checkpoint.all();
  }

  /// @param node as it is now
  public PrepareOutcome prepare(ClaimObject claim, NodeDevices node) {
    try (var _ = claimLocks.take(List.of(claim.uid()))) {
      Optional<PreparedClaim> before = checkpoint.find(claim.uid());
      if (before.filter(this::isInUse).isPresent() && files.has(claim.uid())) {
        return new PrepareOutcome.Prepared(before.get().answer());
      }
      return switch (ClaimAllocation.of(claim, node.node())) {
        case ClaimAllocation.Reading.Refused(var reason) -> new PrepareOutcome.Refused(reason);
        case ClaimAllocation.Reading.Allocated(var allocation) -> {
          List<String> names =
              allocation.results().stream().map(ClaimAllocation.Result::device).toList();
          try (var _ = deviceLocks.take(names)) {
            yield prepare(new Attempt(claim, node, before), allocation);
          }
        }
      };
    }
  }

  private boolean isInUse(PreparedClaim claim) {
    return claim.isCompleted() && !claim.isRebuilt();
  }

  /// @param before the entry of the claim when the call began
  private record Attempt(ClaimObject claim, NodeDevices node, Optional<PreparedClaim> before) {
    String uid() {
      return claim.uid();
    }

    /// What a failed call leaves.
    PreparedClaim afterFailure() {
      return before.filter(PreparedClaim::isCompleted).orElse(PreparedClaim.started(claim));
    }
  }

  private PrepareOutcome prepare(Attempt attempt, ClaimAllocation allocation) {
    Optional<String> overlap =
        Overlap.refusal(attempt.claim(), allocation, checkpoint.all(), attempt.node());
    if (overlap.isPresent()) {
      return new PrepareOutcome.Refused(overlap.get());
    }
    Optional<String> earlier = rollBackEarlier(attempt);
    if (earlier.isPresent()) {
      return new PrepareOutcome.Failed(earlier.get());
    }
    return switch (ClaimPlan.of(attempt.claim(), allocation, attempt.node(), decoder)) {
      case Planned.Refused(var reason) -> started(attempt, new PrepareOutcome.Refused(reason));
      case Planned.Ready(var plan) when plan.usesMps() ->
          started(
              attempt,
              new PrepareOutcome.Refused(
                  "claim %s: sharing.strategy is \"MPS\", which is not supported yet; allowed: TimeSlicing"
                      .formatted(attempt.claim().text())));
      case Planned.Ready(var plan) ->
          Overlap.conflict(attempt.claim(), plan, checkpoint.all(), attempt.node(), decoder)
              .map(reason -> started(attempt, new PrepareOutcome.Refused(reason)))
              .orElseGet(() -> prepare(attempt, plan));
    };
  }

  /// A call that was killed may have set time slices of other devices than this one will.
  private Optional<String> rollBackEarlier(Attempt attempt) {
    return attempt
        .before()
        .filter(it -> !it.isCompleted())
        .flatMap(it -> slices.reset(attempt.uid(), it.timeSliced()));
  }

  /// Keeps a claim whose settings are refused, as NVIDIA's DRA driver does.
  private PrepareOutcome started(Attempt attempt, PrepareOutcome outcome) {
    return checkpoint
        .put(attempt.uid(), attempt.afterFailure())
        .<PrepareOutcome>map(PrepareOutcome.Failed::new)
        .orElse(outcome);
  }

  private PrepareOutcome prepare(Attempt attempt, ClaimPlan plan) {
    PreparedClaim started = PreparedClaim.started(attempt.claim());
    boolean hasIntent = !plan.timeSlices().isEmpty();
    Optional<String> unwritten =
        checkpoint.put(
            attempt.uid(), hasIntent ? started.withIntent(attempt.uid(), plan) : started);
    if (unwritten.isPresent()) {
      return failed(attempt, unwritten.get());
    }
    steps.accept(Step.STARTED);
    Optional<String> problem = slices.set(plan);
    if (problem.isPresent()) {
      return rolledBack(attempt, plan, problem.get());
    }
    steps.accept(Step.TIME_SLICED);
    return writeFile(attempt, plan);
  }

  private PrepareOutcome writeFile(Attempt attempt, ClaimPlan plan) {
    Optional<String> problem =
        switch (ClaimSpecification.of(attempt.claim(), plan, attempt.node())) {
          case ClaimSpecification.Made.Incomplete(var reason) -> Optional.of(reason);
          case ClaimSpecification.Made.Specification(var specification) ->
              files.write(specification);
        };
    if (problem.isPresent()) {
      return rolledBack(attempt, plan, problem.get());
    }
    steps.accept(Step.FILE_WRITTEN);
    PreparedClaim completed = PreparedClaim.completed(attempt.claim(), plan);
    Optional<String> unwritten = checkpoint.put(attempt.uid(), completed);
    if (unwritten.isPresent()) {
      return rolledBack(attempt, plan, unwritten.get());
    }
    steps.accept(Step.COMPLETED);
    return new PrepareOutcome.Prepared(completed.answer());
  }

  /// What cannot be rolled back stays in the entry, and is when the claim is unprepared.
  private PrepareOutcome rolledBack(Attempt attempt, ClaimPlan plan, String reason) {
    files.remove(attempt.uid()).ifPresent(problem -> LOG.atWarn().log(problem));
    List<String> gpus = plan.timeSlices().stream().flatMap(it -> it.gpus().stream()).toList();
    slices
        .reset(attempt.uid(), gpus)
        .or(() -> checkpoint.put(attempt.uid(), attempt.afterFailure()))
        .ifPresent(problem -> LOG.atWarn().log(problem));
    return failed(attempt, reason);
  }

  private static PrepareOutcome failed(Attempt attempt, String reason) {
    return new PrepareOutcome.Failed("claim %s: %s".formatted(attempt.claim().text(), reason));
  }

  /// @param uid as kubelet names it; unknown ones are done
  public UnprepareOutcome unprepare(String uid) {
    try (var _ = claimLocks.take(List.of(uid))) {
      Optional<PreparedClaim> stored = checkpoint.find(uid);
      if (stored.isEmpty()) {
        return new UnprepareOutcome.Unprepared();
      }
      try (var _ = deviceLocks.take(stored.get().deviceNames())) {
        return unprepare(uid, stored.get());
      }
    }
  }

  private UnprepareOutcome unprepare(String uid, PreparedClaim stored) {
    var gpus = new LinkedHashSet<>(stored.timeSliced());
    if (switches.timeSlicing() && stored.isCompleted()) {
      gpus.addAll(stored.ownGpus());
    }
    // No container can ask for a file of a claim that is gone.
    files.remove(uid).ifPresent(left -> LOG.atWarn().log(left));
    steps.accept(Step.FILE_REMOVED);
    Optional<String> problem = slices.reset(uid, gpus);
    if (problem.isPresent()) {
      return new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, problem.get()));
    }
    steps.accept(Step.TIME_SLICES_RESET);
    Optional<String> unwritten = checkpoint.remove(uid);
    steps.accept(Step.REMOVED);
    return unwritten
        .<UnprepareOutcome>map(it -> new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, it)))
        .orElseGet(UnprepareOutcome.Unprepared::new);
  }
}
