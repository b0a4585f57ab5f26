package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.ClaimPlan;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.TimeSliced;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The time slices of GPUs belong to the claims that have set them: only the last claim that leaves
/// a GPU resets it. NVIDIA's DRA driver resets with each claim, also those of monitoring.
record ClaimTimeSlices(ClaimCheckpoint checkpoint, SharingStep sharing) {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimTimeSlices.class);

  /// @return why they are not all set
  Optional<String> set(ClaimPlan plan) {
    for (TimeSliced slices : plan.timeSlices()) {
      Optional<String> problem =
          switch (sharing.timeSlice(slices.gpus(), slices.interval())) {
            case SharingStep.Result.Done() -> Optional.empty();
            case SharingStep.Result.Failed(var reason) -> Optional.of(reason);
            case SharingStep.Result.NotSupported(var reason) -> Optional.of(reason);
          };
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  /// Resets those that no other claim has set, or may have.
  ///
  /// @return why they are not reset
  Optional<String> reset(String uid, Collection<String> gpus) {
    if (gpus.isEmpty()) {
      return Optional.empty();
    }
    Set<String> ofOthers =
        checkpoint.all().entrySet().stream()
            .filter(other -> !other.getKey().equals(uid))
            .flatMap(other -> other.getValue().timeSliced().stream())
            .collect(Collectors.toSet());
    List<String> own = gpus.stream().filter(gpu -> !ofOthers.contains(gpu)).distinct().toList();
    if (own.isEmpty()) {
      return Optional.empty();
    }
    return switch (sharing.reset(own)) {
      case SharingStep.Result.Done() -> Optional.empty();
      case SharingStep.Result.Failed(var reason) -> Optional.of(reason);
      case SharingStep.Result.NotSupported(var reason) -> {
        LOG.atWarn().log("GPUs {} keep their time slice: {}", own, reason);
        yield Optional.empty();
      }
    };
  }
}
