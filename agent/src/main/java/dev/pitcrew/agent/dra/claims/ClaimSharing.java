package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.ClaimPreparer.Step;
import dev.pitcrew.agent.dra.claims.plan.ClaimDaemon;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.TimeSliced;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What claims change so that processes of several containers share GPUs. A time slice or a compute
/// mode belongs to the claims that have set it: only the last claim that leaves a GPU resets it.
/// NVIDIA's DRA driver resets with each claim, also those of monitoring.
record ClaimSharing(
    ClaimCheckpoint checkpoint, SharingStep gpus, ClaimDaemons daemons, Consumer<Step> steps) {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimSharing.class);

  /// The caller has written the intent to the checkpoint.
  ///
  /// @return why not all of it is done
  Optional<String> apply(String uid, ClaimPlan plan) {
    for (TimeSliced slices : plan.timeSlices()) {
      Optional<String> problem = gpus.timeSlice(slices.gpus(), slices.interval()).problem();
      if (problem.isPresent()) {
        return problem;
      }
    }
    steps.accept(Step.TIME_SLICED);
    List<ClaimDaemon> wanted = plan.daemons(uid);
    return wanted.isEmpty() ? Optional.empty() : share(wanted);
  }

  /// NVIDIA's guide to MPS: the GPU is to be exclusive before its server starts, so that no client
  /// goes around the server.
  private Optional<String> share(List<ClaimDaemon> wanted) {
    List<String> exclusive =
        wanted.stream().flatMap(daemon -> daemon.gpus().stream()).distinct().toList();
    Optional<String> problem = gpus.exclusive(exclusive).problem();
    if (problem.isPresent()) {
      return problem;
    }
    steps.accept(Step.EXCLUSIVE);
    Optional<String> notReady = daemons.start(wanted);
    if (notReady.isEmpty()) {
      steps.accept(Step.DAEMONS_READY);
    }
    return notReady;
  }

  /// Undoes what a claim has changed, or may have.
  ///
  /// @param entry the claim as it is in the checkpoint
  /// @return why something may be left
  Optional<String> undo(String uid, PreparedClaim entry) {
    // A claim of which only the CDI file was left does not name them.
    var changed = new LinkedHashSet<>(entry.exclusiveGpus());
    changed.addAll(daemons.gpus(uid));
    Optional<String> running = daemons.end(uid);
    if (running.isPresent()) {
      return running;
    }
    steps.accept(Step.DAEMONS_ENDED);
    List<String> exclusive = withoutOthers(uid, changed, PreparedClaim::exclusiveGpus);
    Optional<String> left =
        exclusive.isEmpty() ? Optional.empty() : gpus.notExclusive(exclusive).left();
    return left.or(() -> reset(uid, entry.timeSliced()));
  }

  /// NVIDIA's DRA driver resets each GPU that a claim returns (recording `timeslice`). Nothing of
  /// the claim is left where that fails.
  void resetReturned(String uid, PreparedClaim entry) {
    var returned = new LinkedHashSet<>(entry.ownGpus());
    returned.removeAll(entry.timeSliced());
    returned.removeAll(entry.exclusiveGpus());
    reset(uid, returned).ifPresent(reason -> LOG.atWarn().log(reason));
  }

  private Optional<String> reset(String uid, Collection<String> sliced) {
    List<String> own = withoutOthers(uid, sliced, PreparedClaim::timeSliced);
    return own.isEmpty() ? Optional.empty() : gpus.reset(own).left();
  }

  /// Those that no other claim has changed, or may have.
  private List<String> withoutOthers(
      String uid, Collection<String> changed, Function<PreparedClaim, Set<String>> ofClaim) {
    if (changed.isEmpty()) {
      return List.of();
    }
    Set<String> ofOthers =
        checkpoint.all().entrySet().stream()
            .filter(other -> !other.getKey().equals(uid))
            .flatMap(other -> ofClaim.apply(other.getValue()).stream())
            .collect(Collectors.toSet());
    return changed.stream().filter(gpu -> !ofOthers.contains(gpu)).distinct().toList();
  }
}
