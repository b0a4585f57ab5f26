package dev.pitcrew.agent.settings;

import dev.pitcrew.api.IntOrString;
import dev.pitcrew.api.node.FleetDraSpec;
import dev.pitcrew.device.dra.ConsumableShares;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// How several claims can hold one device, from `spec.dra.consumableShares` and from the feature
/// gate by which NVIDIA's DRA driver allows that. The API server refuses what is said here of wrong
/// values, unless they were stored before its CRD had the field.
final class ClaimShares {
  private static final String GATE = "ConsumableShares";

  private ClaimShares() {}

  static ConsumableShares of(FleetDraSpec spec) {
    return value(spec)
        .filter(_ -> !isSwitchedOff(spec))
        .flatMap(ConsumableShares::of)
        .orElseGet(ConsumableShares.Disabled::new);
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(FleetDraSpec spec) {
    Optional<String> value = value(spec);
    return value
        .flatMap(text -> remedy(text, isSwitchedOff(spec)))
        .map(remedy ->
            new SettingsProblem(
                "FleetPolicy spec.dra.consumableShares",
                value.orElse(""),
                remedy,
                new SettingsProblem.Consequence.NoEffect(),
                Set.of(NodeFunction.DRA)))
        .stream()
        .toList();
  }

  private static Optional<String> remedy(String value, boolean isSwitchedOff) {
    Optional<ConsumableShares> shares = ConsumableShares.of(value);
    if (shares.isEmpty()) {
      return Optional.of("must be " + ConsumableShares.ALLOWED);
    }
    return shares
        .filter(it -> isSwitchedOff && !(it instanceof ConsumableShares.Disabled))
        .map(_ -> "spec.dra.featureGates.%s is false; set it to true or remove it".formatted(GATE));
  }

  private static boolean isSwitchedOff(FleetDraSpec spec) {
    return Boolean.FALSE.equals(spec.featureGates().get(GATE));
  }

  private static Optional<String> value(FleetDraSpec spec) {
    return Optional.ofNullable(spec.consumableShares()).map(IntOrString::text);
  }
}
