package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.kube.selector.LabelSelector;
import java.util.Optional;

/// The selectors of an upgrade policy, which users write as text. Which pods an invalid one selects
/// is unknown, so no pod is evicted because of it.
public final class PodSelectors {
  private PodSelectors() {}

  /// Which field cannot be read, and why.
  static Optional<String> problem(UpgradePolicySpec policy) {
    return ofJobs(policy).or(() -> ofDrain(policy));
  }

  static Optional<String> ofJobs(UpgradePolicySpec policy) {
    return problem(
        "waitForCompletion.podSelector", policy.waitForCompletion().podSelectorOrDefault());
  }

  static Optional<String> ofDrain(UpgradePolicySpec policy) {
    return problem("drain.podSelector", policy.drain().podSelectorOrDefault());
  }

  /// A selector; empty where it cannot be read, which [#problem] reports.
  public static Optional<LabelSelector> read(String text) {
    try {
      return Optional.of(LabelSelector.of(text));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static Optional<String> problem(String field, String text) {
    try {
      LabelSelector.of(text);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("upgradePolicy.%s: %s".formatted(field, e.getMessage()));
    }
  }
}
