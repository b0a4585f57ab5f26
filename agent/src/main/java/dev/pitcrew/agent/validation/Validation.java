package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.node.NodeSnapshot;
import java.util.List;
import java.util.Optional;

/// What came of looking at a node.
///
/// @param basis what NVML had said; empty where it had not been asked
/// @param blockers of the driver, the first one first
/// @param isPassedThrough whether virtual machines have the GPUs, as the node is to be
/// @param table the checks in the order of [Component]; empty where the agent is not to validate
public record Validation(
    Optional<NodeSnapshot> basis,
    List<Blocker> blockers,
    boolean isPassedThrough,
    Optional<List<Check>> table) {
  public Validation {
    blockers = List.copyOf(blockers);
    table = table.map(List::copyOf);
  }

  /// With all checks.
  public static Validation of(ValidationFacts facts) {
    List<Blocker> blockers = DriverBlockers.of(facts.driver());
    return new Validation(
        facts.driver().snapshot(),
        blockers,
        facts.driver().isPassedThrough(),
        Optional.of(Checks.of(facts, blockers)));
  }

  /// The driver alone.
  public static Validation ofDriver(DriverFacts facts) {
    return new Validation(
        facts.snapshot(), DriverBlockers.of(facts), facts.isPassedThrough(), Optional.empty());
  }

  /// Whether there is nothing to wait for.
  public boolean isSettled() {
    return blockers.isEmpty() && table.stream().flatMap(List::stream).allMatch(Check::isSettled);
  }
}
