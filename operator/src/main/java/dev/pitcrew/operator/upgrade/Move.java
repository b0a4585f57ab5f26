package dev.pitcrew.operator.upgrade;

import java.util.List;

/// What one step makes of a node.
///
/// @param node the node after the step
/// @param goesOn whether the next step may follow at once
/// @param waiting what it waits for, if it does
record Move(UpgradeNode node, boolean goesOn, Waiting waiting, List<Effect> effects) {

  static Move on(UpgradeNode node) {
    return new Move(node, true, Waiting.NONE, List.of());
  }

  static Move stay(UpgradeNode node, Waiting waiting) {
    return new Move(node, false, waiting, List.of());
  }

  static Move stay(UpgradeNode node, Waiting waiting, List<Effect> effects) {
    return new Move(node, false, waiting, effects);
  }
}
