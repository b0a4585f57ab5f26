// Long because it is one journal: its steps and their rollback have to be seen side by side.
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
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
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
/// 4. Settings are resolved ([ClaimPlan]); a problem with them is the answer.
/// 5. `PrepareStarted` is kept, with what steps 6 and 8 change. It is in the file before anything
///    of the GPUs changes; a new claim that changes nothing of them does not wait for it here,
///    since all that a killed process leaves of it is a CDI file, which the next one removes.
/// 6. GPUs for virtual machines change their kernel driver ([PassthroughStep]).
/// 7. MIG devices that the claim is allocated as partitions of a GPU are made ([ClaimPartitions]).
/// 8. Time slices are set; for MPS, GPUs are made exclusive and control daemons are started.
/// 9. The CDI file is written.
/// 10. `PrepareCompleted` is written, and is the answer.
///
/// A step that fails after step 5 rolls back 9 to 6 in the same call and leaves `PrepareStarted`,
/// or the entry that was completed before, until kubelet tries again or unprepares the claim.
///
/// Unprepare:
/// 1. A claim that is not in the checkpoint is done.
/// 2. The CDI file is removed: from here on, a call to prepare the claim does all of it again.
/// 3. Its MPS control daemons end, and the compute modes and time slices of its GPUs are reset
///    where no other claim has set them.
/// 4. The MIG devices that it has made are removed.
/// 5. GPUs that virtual machines had get the driver of containers again.
/// 6. The entry is removed.
///
/// Calls for different claims run side by side unless they concern the same device. The lock of the
/// claim is taken before those of its devices.
public final class ClaimPreparer {
  /// After which a process may be killed.
  enum Step {
    STARTED,
    GIVEN,
    PARTITIONS_JOURNALLED,
    PARTITIONED,
    TIME_SLICED,
    EXCLUSIVE,
    DAEMONS_READY,
    FILE_WRITTEN,
    COMPLETED,
    FILE_REMOVED,
    DAEMONS_ENDED,
    SHARING_UNDONE,
    PARTITIONS_REMOVED,
    WITHDRAWN,
    REMOVED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClaimPreparer.class);

  private final ClaimCheckpoint checkpoint;
  private final ClaimFiles files;
  private volatile FeatureSwitches switches;
  private final ClaimSharing sharing;
  private final ClaimPartitions partitions;
  private final ClaimMachines machines;
  private final String daemonFolders;
  private final Consumer<Step> steps;
  private final KeyedLocks claimLocks = new KeyedLocks();
  private final KeyedLocks deviceLocks = new KeyedLocks();

  private ClaimPreparer(
      ClaimPlaces places,
      ClaimCheckpoint checkpoint,
      FeatureSwitches switches,
      ClaimSharing sharing,
      ClaimPartitions partitions,
      ClaimMachines machines,
      Consumer<Step> steps) {
    this.machines = machines;
    this.partitions = partitions;
    this.checkpoint = checkpoint;
    this.files = files(places);
    this.switches = switches;
    this.sharing = sharing;
    this.daemonFolders = places.mps().onHost().toString();
    this.steps = steps;
  }

  /// Continues with the checkpoint that is there. It never fails: what is damaged is set aside and
  /// reported.
  ///
  /// @param reports receives what is wrong with the checkpoint, and that it is right again
  public static ClaimPreparer open(
      ClaimPlaces places,
      FeatureSwitches switches,
      SharingStep gpus,
      PartitionStep partitions,
      PassthroughStep machines,
      FileReports reports) {
    return open(places, switches, gpus, partitions, machines, reports, _ -> {});
  }

  static ClaimPreparer open(
      ClaimPlaces places,
      FeatureSwitches switches,
      SharingStep gpus,
      PartitionStep partitions,
      PassthroughStep machines,
      FileReports reports,
      Consumer<Step> steps) {
    var checkpoint =
        ClaimCheckpoint.open(places.checkpoint(), files(places), PreparedClaim::rebuilt, reports);
    var daemons = ClaimDaemons.open(places.mps(), checkpoint.all().keySet());
    var journal = PartitionJournal.open(places.partitions(), places.bootId());
    return new ClaimPreparer(
        places,
        checkpoint,
        switches,
        new ClaimSharing(checkpoint, gpus, daemons, steps),
        new ClaimPartitions(journal, partitions, steps),
        new ClaimMachines(checkpoint, machines, steps),
        steps);
  }

  private static ClaimFiles files(ClaimPlaces places) {
    return new ClaimFiles(places.cdi(), ClaimSpecification.KIND);
  }

  /// From now on claims are prepared with these features. Those that are prepared keep what they
  /// have, and leave nothing when they are unprepared.
  public void use(FeatureSwitches features) {
    switches = features;
  }

  /// Once after the start: withdraws the GPUs that claims gave to virtual machines whose
  /// preparation did not end.
  ///
  /// @return which could not be withdrawn, and why; the next call for the claim tries again
  public List<String> recoverGiven() {
    return checkpoint.all().keySet().stream().flatMap(uid -> recoverGiven(uid).stream()).toList();
  }

  private Optional<String> recoverGiven(String uid) {
    try (var _ = claimLocks.take(List.of(uid))) {
      return machines.recover(uid);
    }
  }

  /// Once after the start, when the GPUs can be changed: removes MIG devices that were made for
  /// claims whose preparation did not end. No other instance is touched.
  ///
  /// @return what is left, and why; the next call for the claim tries again
  public List<String> recover() {
    return partitions.recover(
        uid -> checkpoint.find(uid).filter(PreparedClaim::isCompleted).isPresent());
  }

  /// The names of the partitions that claims have made, or are about to make.
  public Set<String> ownPartitions() {
    return partitions.names();
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
      return switch (ClaimAllocation.of(claim, ClaimDevice.DRIVER, node.node())) {
        case ClaimAllocation.Reading.Refused(var reason) -> new PrepareOutcome.Refused(reason);
        case ClaimAllocation.Reading.Allocated(var allocation) -> {
          try (var _ = deviceLocks.take(locks(allocation, node))) {
            yield prepare(new Attempt(claim, node, before), allocation);
          } finally {
            machines.changed();
          }
        }
      };
    }
  }

  /// MIG devices of a GPU have its compute mode in common, and a GPU is used as a whole or given to
  /// a virtual machine.
  private static List<String> locks(ClaimAllocation allocation, NodeDevices node) {
    return allocation.results().stream()
        .map(ClaimAllocation.Result::device)
        .flatMap(name ->
            Stream.concat(
                Stream.of(name),
                Stream.ofNullable(node.devices().get(name))
                    .filter(device -> !(device instanceof ClaimDevice.Partition))
                    .map(device -> device.gpu().uuid())))
        .toList();
  }

  private boolean isInUse(PreparedClaim claim) {
    return claim.isCompleted() && !claim.isRebuilt();
  }

  /// @param before the entry of the claim when the call began
  private record Attempt(ClaimObject claim, NodeDevices node, Optional<PreparedClaim> before) {
    String uid() {
      return claim.uid();
    }

    boolean isCompleted() {
      return before.filter(PreparedClaim::isCompleted).isPresent();
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
    var decoder = new SettingsDecoder(switches);
    return switch (ClaimPlan.of(attempt.claim(), allocation, attempt.node(), decoder)) {
      case Planned.Refused(var reason) -> started(attempt, new PrepareOutcome.Refused(reason));
      case Planned.Ready(var plan) ->
          Overlap.conflict(attempt.claim(), plan, checkpoint.all(), attempt.node())
              .or(() -> machines.refusal(attempt.claim(), plan, attempt.isCompleted()))
              .map(reason -> started(attempt, new PrepareOutcome.Refused(reason)))
              .orElseGet(() -> prepare(attempt, plan));
    };
  }

  /// A call that was killed may have changed other devices than this one will.
  private Optional<String> rollBackEarlier(Attempt attempt) {
    return attempt
        .before()
        .filter(it -> !it.isCompleted())
        .flatMap(it ->
            sharing
                .undo(attempt.uid(), it)
                .or(() -> partitions.remove(attempt.uid()))
                .or(() -> machines.withdraw(attempt.uid(), it)));
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
    boolean changes =
        !plan.timeSlices().isEmpty()
            || !plan.daemons(attempt.uid()).isEmpty()
            || ClaimMachines.gives(plan);
    PreparedClaim intent = changes ? started.withIntent(attempt.uid(), plan) : started;
    if (changes || plan.hasPartitions() || attempt.before().isPresent()) {
      Optional<String> unwritten = checkpoint.put(attempt.uid(), intent);
      if (unwritten.isPresent()) {
        return failed(attempt, unwritten.get());
      }
    } else {
      checkpoint.note(attempt.uid(), intent);
    }
    steps.accept(Step.STARTED);
    return switch (machines.give(plan, attempt.node())) {
      case ClaimMachines.Outcome.Failed(var reason) -> rolledBack(attempt, intent, reason);
      case ClaimMachines.Outcome.Granted(var node) ->
          divide(new Attempt(attempt.claim(), node, attempt.before()), intent, plan);
    };
  }

  private PrepareOutcome divide(Attempt attempt, PreparedClaim intent, ClaimPlan plan) {
    return switch (partitions.make(attempt.uid(), plan, attempt.node())) {
      case ClaimPartitions.Outcome.Failed(var reason) -> rolledBack(attempt, intent, reason);
      case ClaimPartitions.Outcome.Made(var made, var node) ->
          share(new Attempt(attempt.claim(), node, attempt.before()), intent, made);
    };
  }

  private PrepareOutcome share(Attempt attempt, PreparedClaim intent, ClaimPlan plan) {
    return sharing
        .apply(attempt.uid(), plan)
        .or(() -> writeFile(attempt, plan))
        .map(reason -> rolledBack(attempt, intent, reason))
        .orElseGet(() -> new PrepareOutcome.Prepared(completed(attempt, plan).answer()));
  }

  private static PreparedClaim completed(Attempt attempt, ClaimPlan plan) {
    return PreparedClaim.completed(attempt.claim(), plan);
  }

  /// @return why the claim is not completed
  private Optional<String> writeFile(Attempt attempt, ClaimPlan plan) {
    Optional<String> problem =
        switch (ClaimSpecification.of(attempt.claim(), plan, attempt.node(), daemonFolders)) {
          case ClaimSpecification.Made.Incomplete(var reason) -> Optional.of(reason);
          case ClaimSpecification.Made.Specification(var specification) ->
              files.write(specification);
        };
    if (problem.isPresent()) {
      return problem;
    }
    steps.accept(Step.FILE_WRITTEN);
    Optional<String> unwritten = checkpoint.put(attempt.uid(), completed(attempt, plan));
    if (unwritten.isEmpty()) {
      steps.accept(Step.COMPLETED);
    }
    return unwritten;
  }

  /// What cannot be rolled back stays in the entry, and is when the claim is unprepared.
  private PrepareOutcome rolledBack(Attempt attempt, PreparedClaim intent, String reason) {
    files.remove(attempt.uid()).ifPresent(problem -> LOG.atWarn().log(problem));
    sharing
        .undo(attempt.uid(), intent)
        .or(() -> attempt.isCompleted() ? Optional.empty() : partitions.remove(attempt.uid()))
        .or(() ->
            attempt.isCompleted() ? Optional.empty() : machines.withdraw(attempt.uid(), intent))
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
      try (var _ = deviceLocks.take(stored.get().locks())) {
        return unprepare(uid, stored.get());
      } finally {
        machines.changed();
      }
    }
  }

  private UnprepareOutcome unprepare(String uid, PreparedClaim stored) {
    // No container can ask for a file of a claim that is gone.
    files.remove(uid).ifPresent(left -> LOG.atWarn().log(left));
    steps.accept(Step.FILE_REMOVED);
    Optional<String> problem = sharing.undo(uid, stored);
    if (problem.isPresent()) {
      return new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, problem.get()));
    }
    if (switches.resetsReturned() && stored.isCompleted()) {
      sharing.resetReturned(uid, stored);
    }
    steps.accept(Step.SHARING_UNDONE);
    Optional<String> left = partitions.remove(uid);
    if (left.isPresent()) {
      return new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, left.get()));
    }
    steps.accept(Step.PARTITIONS_REMOVED);
    Optional<String> kept = machines.withdraw(uid, stored);
    if (kept.isPresent()) {
      return new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, kept.get()));
    }
    steps.accept(Step.WITHDRAWN);
    Optional<String> unwritten = checkpoint.remove(uid);
    steps.accept(Step.REMOVED);
    return unwritten
        .<UnprepareOutcome>map(it -> new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, it)))
        .orElseGet(UnprepareOutcome.Unprepared::new);
  }
}
