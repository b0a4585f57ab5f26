// Long because it is one journal: its steps and what undoes them have to be seen side by side.
package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.dra.claims.ClaimCheckpoint;
import dev.pitcrew.agent.dra.claims.ClaimFiles;
import dev.pitcrew.agent.dra.claims.KeyedLocks;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.domains.plan.Domain;
import dev.pitcrew.agent.dra.domains.plan.DomainClaim;
import dev.pitcrew.agent.dra.domains.plan.DomainNode;
import dev.pitcrew.agent.dra.domains.plan.DomainPlan;
import dev.pitcrew.agent.dra.domains.plan.DomainSpecification;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.device.dra.DomainDevice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares and unprepares the claims of a node for ComputeDomains. As with claims for GPUs each
/// call is a journal of steps that a process may be killed after.
///
/// Prepare:
/// 1. A claim that is completed and has its CDI file gets its stored answer.
/// 2. The allocation is read; a device that another completed claim holds is refused.
/// 3. Settings are resolved; a problem with them is the answer.
/// 4. `PrepareStarted` is written.
/// 5. The ComputeDomain is looked up. For a channel it is in the namespace of the claim: else users
///    of one namespace would reach the memory of another's GPUs.
/// 6. For a channel the Node is labelled, and the node is awaited to be ready in the domain
///    ([DomainWait]). For a daemon the folder of the domain is made.
/// 7. The CDI file is written.
/// 8. `PrepareCompleted` is written, and is the answer.
///
/// A call that fails leaves `PrepareStarted` and the label, which brings the daemon that the next
/// call waits for. Unprepare ends a call that waits, and undoes 7, 6 and 4: the label is removed
/// with the last claim for a channel of its domain. The folder stays until the domain is gone.
///
/// Source: NVIDIA's DRA driver 0.5. Unlike it, a claim that another one blocks is refused at once,
/// and devices that were never announced are refused.
public final class DomainPreparer {
  /// After which a process may be killed.
  enum Step {
    STARTED,
    LABELLED,
    FOLDER_MADE,
    FILE_WRITTEN,
    COMPLETED,
    FILE_REMOVED,
    UNLABELLED,
    REMOVED
  }

  private static final Logger LOG = LoggerFactory.getLogger(DomainPreparer.class);

  private final ClaimCheckpoint checkpoint;
  private final ClaimFiles files;
  private final DomainFolders folders;
  private final DomainObjects objects;
  private final DomainWait waits;
  private final Consumer<Step> steps;
  private final KeyedLocks claimLocks = new KeyedLocks();
  private final KeyedLocks deviceLocks = new KeyedLocks();

  /// Of the label of the Node, and of the claims that it depends on.
  private final ReentrantLock label = new ReentrantLock();

  private DomainPreparer(
      DomainPlaces places, ClaimCheckpoint checkpoint, ClaimFiles files, Consumer<Step> steps) {
    this.checkpoint = checkpoint;
    this.files = files;
    this.folders = places.folders();
    this.objects = places.objects();
    this.waits = new DomainWait(objects, this::label);
    this.steps = steps;
  }

  /// Continues with the checkpoint that is there. It never fails: what is damaged is set aside and
  /// reported.
  ///
  /// @param reports receives what is wrong with the checkpoint, and that it is right again
  public static DomainPreparer open(DomainPlaces places, FileReports reports) {
    return open(places, reports, _ -> {});
  }

  static DomainPreparer open(DomainPlaces places, FileReports reports, Consumer<Step> steps) {
    var files = new ClaimFiles(places.cdi(), DomainSpecification.KIND);
    var checkpoint =
        ClaimCheckpoint.open(places.checkpoint(), files, DomainClaim::rebuilt, reports);
    return new DomainPreparer(places, checkpoint, files, steps);
  }

  /// The claims of the checkpoint, by UID.
  public SortedMap<String, PreparedClaim> claims() {
    return checkpoint.all();
  }

  /// @param node as it is now
  /// @param left how long the caller waits for the answer
  public PrepareOutcome prepare(ClaimObject claim, DomainNode node, Duration left) {
    long until = System.nanoTime() + left.toNanos();
    try (var _ = claimLocks.take(List.of(claim.uid()))) {
      Optional<PreparedClaim> before = checkpoint.find(claim.uid());
      if (before.filter(it -> isInUse(claim.uid(), it)).isPresent()) {
        return new PrepareOutcome.Prepared(before.get().answer());
      }
      return switch (ClaimAllocation.of(claim, DomainDevice.DRIVER, node.node())) {
        case ClaimAllocation.Reading.Refused(var reason) -> new PrepareOutcome.Refused(reason);
        case ClaimAllocation.Reading.Allocated(var allocation) ->
            DomainClaim.overlap(claim, allocation, checkpoint.all())
                .<PrepareOutcome>map(PrepareOutcome.Refused::new)
                .orElseGet(() -> start(new Attempt(claim, allocation, node, until)));
      };
    }
  }

  /// @param until of [System#nanoTime]
  private record Attempt(
      ClaimObject claim, ClaimAllocation allocation, DomainNode node, long until) {
    PrepareOutcome refused(String reason) {
      return new PrepareOutcome.Refused("claim %s: %s".formatted(claim.text(), reason));
    }

    PrepareOutcome failed(String reason) {
      return new PrepareOutcome.Failed("claim %s: %s".formatted(claim.text(), reason));
    }
  }

  private boolean isInUse(String uid, PreparedClaim claim) {
    boolean hasFile =
        files.has(uid) || claim.answer().stream().allMatch(it -> it.cdiIds().isEmpty());
    return claim.isCompleted() && !claim.isRebuilt() && hasFile;
  }

  /// A claim whose settings are refused is kept, as with NVIDIA's DRA driver.
  private PrepareOutcome start(Attempt attempt) {
    Optional<String> unwritten =
        checkpoint.put(attempt.claim().uid(), PreparedClaim.started(attempt.claim()));
    if (unwritten.isPresent()) {
      return attempt.failed(unwritten.get());
    }
    steps.accept(Step.STARTED);
    return switch (DomainPlan.of(attempt.claim(), attempt.allocation())) {
      case DomainPlan.Planned.Refused(var reason) -> new PrepareOutcome.Refused(reason);
      case DomainPlan.Planned.Ready(var plan) -> prepare(attempt, plan);
    };
  }

  private PrepareOutcome prepare(Attempt attempt, DomainPlan plan) {
    return switch (objects.find(plan.domain())) {
      case DomainObjects.Found.Failed(var reason) -> attempt.failed(reason);
      case DomainObjects.Found.Unknown() ->
          attempt.refused(
              "there is no ComputeDomain with the UID %s, which its settings name as domainID; delete the claim, or make it from the template of a ComputeDomain that exists"
                  .formatted(plan.domain()));
      case DomainObjects.Found.Known(var domain) ->
          plan.hasChannel() && !domain.namespace().equals(attempt.claim().namespace())
              ? attempt.refused(
                  "it is in namespace %s and its ComputeDomain %s is in another; use a ComputeDomain of its own namespace"
                      .formatted(attempt.claim().namespace(), domain.text()))
              : prepare(attempt, plan, domain);
    };
  }

  private PrepareOutcome prepare(Attempt attempt, DomainPlan plan, Domain domain) {
    if (plan.hasChannel()) {
      switch (waits.ready(attempt.claim().uid(), domain, attempt.node(), attempt.until())) {
        case DomainWait.Outcome.Ready() -> {}
        case DomainWait.Outcome.Refused(var reason) -> {
          return attempt.refused(reason);
        }
        case DomainWait.Outcome.NotYet(var reason) -> {
          return attempt.failed(reason);
        }
      }
    }
    if (plan.hasDaemon()) {
      Optional<String> problem = folders.make(domain.uid());
      if (problem.isPresent()) {
        return attempt.failed(problem.get());
      }
      steps.accept(Step.FOLDER_MADE);
    }
    return complete(attempt, plan, domain);
  }

  /// Other claims for the device may have been completed meanwhile.
  private PrepareOutcome complete(Attempt attempt, DomainPlan plan, Domain domain) {
    ClaimObject claim = attempt.claim();
    try (var _ =
        deviceLocks.take(plan.devices().stream().map(it -> it.result().device()).toList())) {
      Optional<String> overlap = DomainClaim.overlap(claim, attempt.allocation(), checkpoint.all());
      if (overlap.isPresent()) {
        return new PrepareOutcome.Refused(overlap.get());
      }
      PreparedClaim completed = DomainClaim.completed(claim, plan, attempt.node());
      return writeFile(attempt, plan, domain)
          .or(() -> checkpoint.put(claim.uid(), completed))
          .map(reason -> rolledBack(attempt, reason))
          .orElseGet(() -> {
            steps.accept(Step.COMPLETED);
            return new PrepareOutcome.Prepared(completed.answer());
          });
    }
  }

  private Optional<String> writeFile(Attempt attempt, DomainPlan plan, Domain domain) {
    Optional<String> problem =
        DomainSpecification.of(
                attempt.claim().uid(), plan, domain, attempt.node(), folders.onHost(domain.uid()))
            .flatMap(files::write);
    if (problem.isEmpty()) {
      steps.accept(Step.FILE_WRITTEN);
    }
    return problem;
  }

  private PrepareOutcome rolledBack(Attempt attempt, String reason) {
    files.remove(attempt.claim().uid()).ifPresent(problem -> LOG.atWarn().log(problem));
    return attempt.failed(reason);
  }

  /// @return why the Node cannot be labelled
  private Optional<String> label(String domain) {
    label.lock();
    try {
      Optional<String> problem = objects.label(domain);
      if (problem.isEmpty()) {
        steps.accept(Step.LABELLED);
      }
      return problem;
    } finally {
      label.unlock();
    }
  }

  /// @param uid as kubelet names it; unknown ones are done
  public UnprepareOutcome unprepare(String uid) {
    try (var _ = waits.leave(uid);
        var _ = claimLocks.take(List.of(uid))) {
      return checkpoint
          .find(uid)
          .map(stored -> unprepare(uid, stored))
          .orElseGet(UnprepareOutcome.Unprepared::new);
    }
  }

  private UnprepareOutcome unprepare(String uid, PreparedClaim stored) {
    // No container can ask for a file of a claim that is gone.
    files.remove(uid).ifPresent(left -> LOG.atWarn().log(left));
    steps.accept(Step.FILE_REMOVED);
    return unlabel(uid, stored)
        .or(() -> {
          steps.accept(Step.UNLABELLED);
          Optional<String> unwritten = checkpoint.remove(uid);
          steps.accept(Step.REMOVED);
          return unwritten;
        })
        .<UnprepareOutcome>map(it -> new UnprepareOutcome.Failed("claim %s: %s".formatted(uid, it)))
        .orElseGet(UnprepareOutcome.Unprepared::new);
  }

  /// Unless another claim needs the label: one that has begun has labelled the Node, or is about
  /// to.
  private Optional<String> unlabel(String uid, PreparedClaim stored) {
    Optional<String> domain = DomainClaim.labelled(uid, stored);
    if (domain.isEmpty()) {
      return Optional.empty();
    }
    label.lock();
    try {
      boolean isNeeded =
          checkpoint.all().entrySet().stream()
              .filter(other -> !other.getKey().equals(uid))
              .flatMap(other -> DomainClaim.labelled(other.getKey(), other.getValue()).stream())
              .anyMatch(
                  other -> domain.get().isEmpty() || other.isEmpty() || other.equals(domain.get()));
      return isNeeded ? Optional.empty() : objects.unlabel(domain.get());
    } finally {
      label.unlock();
    }
  }

  /// Removes the folders of domains that are gone. Without such a folder that no claim needs the
  /// API server is not asked.
  ///
  /// @return what is left, and why
  public List<String> sweep() {
    Set<String> needed =
        checkpoint.all().entrySet().stream()
            .flatMap(claim -> DomainClaim.folder(claim.getKey(), claim.getValue()))
            .collect(Collectors.toSet());
    // Of a claim of which only the CDI file is left, the domain is not known.
    List<String> unused =
        needed.contains("")
            ? List.of()
            : folders.domains().stream().filter(it -> !needed.contains(it)).toList();
    if (unused.isEmpty()) {
      return List.of();
    }
    return objects
        .all()
        .map(there ->
            unused.stream()
                .filter(it -> !there.contains(it))
                .flatMap(it -> folders.remove(it).stream())
                .toList())
        .orElseGet(List::of);
  }
}
