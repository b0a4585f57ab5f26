package dev.pitcrew.operator.driver;

import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.policy.Verdict;
import dev.pitcrew.operator.render.Problem;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;

/// The status of an NVIDIADriver; reasons and first sentences are NVIDIA's.
public record DriverVerdict(String state, String reason, String message) implements Verdict {
  static final String FAILED = "ReconcileFailed";
  private static final String NOT_READY_YET = "DriverNotReady";
  private static final String RECONCILED = "Reconciled";
  private static final String WAITING = "Waiting for driver pod to be ready";

  /// The ClusterPolicy does not leave drivers to NVIDIADrivers.
  public static DriverVerdict disabled() {
    return new DriverVerdict(
        "disabled", RECONCILED, "useNvidiaDriverCRD is not enabled in ClusterPolicy");
  }

  public static DriverVerdict refused(Problem problem) {
    String reason =
        problem.reason().equals(DriverResource.CONFLICTING_SELECTOR) ? problem.reason() : FAILED;
    return new DriverVerdict(NOT_READY, reason, problem.message());
  }

  /// Carrying the plan out has failed.
  public static DriverVerdict failed(String message) {
    return new DriverVerdict(NOT_READY, FAILED, "Error syncing state state-driver: " + message);
  }

  /// Its pods cannot be looked for yet.
  public static DriverVerdict waiting(String what) {
    return new DriverVerdict(NOT_READY, NOT_READY_YET, WAITING + ": " + what);
  }

  /// What the plan has come to.
  ///
  /// @param unlabelled nodes of which it is not known which driver they need, by name
  public static DriverVerdict of(Collection<Rollout> rollouts, SortedSet<String> unlabelled) {
    String lacks =
        rollouts.stream()
            .map(Rollout::lack)
            .flatMap(Optional::stream)
            .sorted()
            .collect(Collectors.joining("; "));
    if (!lacks.isEmpty()) {
      return waiting(lacks);
    }
    if (!unlabelled.isEmpty()) {
      return waiting(
          "labels of the operating system, the kernel or the owner are missing on "
              + String.join(", ", unlabelled));
    }
    return new DriverVerdict(READY, RECONCILED, "All resources have been successfully reconciled");
  }

  @Override
  public boolean isProgress() {
    return reason.equals(NOT_READY_YET);
  }
}
