package dev.pitcrew.agent.plugin;

import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Problem;
import java.util.Optional;

/// The words with which NVIDIA's device plugin ends when it cannot offer a node's devices as
/// configured. A command in its place ends with the same line and exit status 1; the agent offers
/// what it can and names the problem.
public final class StartRefusal {
  private static final String BUILDING =
      "error starting plugins: error getting plugins: unable to create plugins: failed to construct"
          + " resource managers: error building device map: error building device map from"
          + " config.resources: ";
  private static final String LAYOUT =
      "invalid MIG configuration: error visiting devices: error visiting device: error visiting"
          + " device: error visiting MIG device: error visiting MIG device: ";

  private StartRefusal() {}

  /// Empty if everything that keeps that program from starting is absent.
  public static Optional<String> of(Allocatable allocatable) {
    return allocatable.problems().stream()
        .filter(Problem::refusesStart)
        .map(problem -> BUILDING + LAYOUT + problem.reason())
        .findFirst();
  }
}
