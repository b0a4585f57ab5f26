package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static org.assertj.core.api.Assertions.assertThat;

/// One step from a state: where it leads, what it waits for, what is done.
///
/// @param blocker words of what it waits for, or of why it failed; empty for nothing
/// @param effects as text, in their order
record StepRow(
    String title,
    Given given,
    String policy,
    UpgradeState expected,
    String blocker,
    String effects) {
  static final String DEFAULTS = "{autoUpgrade: true}";

  static StepRow row(String title, Given given, UpgradeState expected) {
    return row(title, given, expected, "");
  }

  static StepRow row(String title, Given given, UpgradeState expected, String blocker) {
    return row(title, given, expected, blocker, "");
  }

  static StepRow row(
      String title, Given given, UpgradeState expected, String blocker, String effects) {
    return row(title, given, DEFAULTS, expected, blocker, effects);
  }

  static StepRow row(String title, Given given, String policy, UpgradeState expected) {
    return row(title, given, policy, expected, "");
  }

  static StepRow row(
      String title, Given given, String policy, UpgradeState expected, String blocker) {
    return row(title, given, policy, expected, blocker, "");
  }

  static StepRow row(
      String title,
      Given given,
      String policy,
      UpgradeState expected,
      String blocker,
      String effects) {
    return new StepRow(title, given, policy, expected, blocker, effects);
  }

  void verify() {
    UpgradeNode observed = given.observed();
    Move move = new UpgradeSteps(Rules.policy(policy), NOW).step(observed);

    assertThat(move.node().state()).isEqualTo(expected);
    assertThat(move.goesOn()).isEqualTo(observed.state() != expected);
    assertThat(
            expected == UpgradeState.FAILED && move.goesOn()
                ? failure(move)
                : move.waiting().blocker())
        .contains(blocker);
    if (blocker.isEmpty()) {
      assertThat(move.waiting()).isEqualTo(Waiting.NONE);
    }
    assertThat(move.effects().stream().map(StepRow::words).toList().toString())
        .isEqualTo("[" + effects + "]");
  }

  @Override
  public String toString() {
    return title;
  }

  private static String failure(Move move) {
    return move.node().marks().failure().orElseThrow().message();
  }

  private static String words(Effect effect) {
    return switch (effect) {
      case Effect.Evict(PodName pod) -> "evict " + pod.name();
      case Effect.DeleteDriver _ -> "delete driver";
    };
  }
}
