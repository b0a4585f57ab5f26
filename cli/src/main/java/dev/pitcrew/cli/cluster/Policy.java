package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Optional;

/// A ClusterPolicy and what it has come to. The condition of the FleetPolicy repeats it.
///
/// @param state `ready`, `notReady`, `ignored`, or empty before the operator has looked at it
public record Policy(String name, String state, List<Condition> conditions) {
  public static Policy of(Json policy) {
    return new Policy(
        policy.at("metadata", "name").text(),
        policy.at("status", "state").text(),
        Condition.all(policy.at("status", "conditions")));
  }

  public boolean isReady() {
    return Condition.find(conditions, "Ready").filter(Condition::isTrue).isPresent();
  }

  /// The condition that says how it is: `Error` while that is true, else `Ready`.
  public Optional<Condition> verdict() {
    return Condition.find(conditions, "Error")
        .filter(Condition::isTrue)
        .or(() -> Condition.find(conditions, "Ready"));
  }
}
