package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.kube.selector.LabelSelector;
import java.util.Optional;
import java.util.stream.Stream;

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
    return Stream.of(
            problem(
                "waitForCompletion.podSelector", policy.waitForCompletion().podSelectorOrDefault()),
            problem("drain.podSelector", policy.drain().podSelectorOrDefault()))
        .flatMap(Optional::stream)
        .findFirst();
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
