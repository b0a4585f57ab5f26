package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.upgrade.PodSelectors;
import java.util.Optional;

/// The selectors of an upgrade policy, which users write as text.
final class Selectors {
  private Selectors() {}

  /// A selector; empty where it cannot be read, which [#problem] tells.
  static Optional<LabelSelector> read(String text) {
    try {
      return Optional.of(LabelSelector.of(text));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// Which field cannot be read, and why. No node begins before that is mended.
  static Optional<String> problem(UpgradePolicySpec policy) {
    return PodSelectors.problem(policy);
  }
}
