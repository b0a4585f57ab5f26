package dev.pitcrew.operator.policy;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// What makes a whole policy impossible; nothing that runs is changed while one of these holds.
public final class PolicyGuard {
  private static final List<Function<ClusterPolicySpec, Optional<Problem>>> CHECKS =
      List.of(PolicyGuard::nriNeedsCdi, PolicyGuard::nriNeedsToolkit);

  private PolicyGuard() {}

  public static Optional<Problem> problem(ClusterPolicySpec spec) {
    return CHECKS.stream().flatMap(check -> check.apply(spec).stream()).findFirst();
  }

  private static Optional<Problem> nriNeedsCdi(ClusterPolicySpec spec) {
    return spec.cdi().isNriPluginEnabled() && !spec.cdi().isEnabled()
        ? nri("spec.cdi.enabled is \"false\", but the NRI plugin injects CDI devices")
        : Optional.empty();
  }

  private static Optional<Problem> nriNeedsToolkit(ClusterPolicySpec spec) {
    return spec.cdi().isNriPluginEnabled() && !spec.toolkit().isEnabled()
        ? nri("spec.toolkit.enabled is \"false\", but the NRI plugin is part of the toolkit")
        : Optional.empty();
  }

  private static Optional<Problem> nri(String why) {
    return Optional.of(
        Problem.of(
            "SpecInvalid",
            "spec.cdi.nriPluginEnabled",
            true,
            why + "; switch that on or the NRI plugin off"));
  }
}
