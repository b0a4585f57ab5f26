package dev.pitcrew.operator.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a plan does with one node: first the node is changed, then the effects follow.
///
/// @param before the node as it was observed
/// @param after the node as it is to be
public record NodeUpgrade(
    UpgradeNode before, UpgradeNode after, List<Effect> effects, Waiting waiting) {

  public NodeUpgrade {
    effects = List.copyOf(effects);
  }

  public String node() {
    return before.name();
  }

  /// Labels to write, null for one that goes.
  public Map<String, @Nullable String> labels() {
    Map<String, @Nullable String> labels = new HashMap<>();
    if (before.state() != after.state()) {
      String label = after.state().label();
      labels.put(NodeLabels.UPGRADE_STATE, label.isEmpty() ? null : label);
    }
    return labels;
  }

  /// Annotations to write, null for one that goes.
  public Map<String, @Nullable String> annotations() {
    return after.marks().changedFrom(before.marks());
  }

  /// Whether the node is to be cordoned or uncordoned; empty for neither.
  public Optional<Boolean> unschedulable() {
    return before.unschedulable() == after.unschedulable()
        ? Optional.empty()
        : Optional.of(after.unschedulable());
  }

  /// Whether the node is under way: it has its place, what it does depends on itself alone, and it
  /// waits for no plan of the fleet ([UpgradePlan#step]).
  public boolean continuesAlone() {
    return before.state().isUnderWay();
  }

  /// Whether pods of the node have to be known: also for the last step out of such a state.
  public boolean isEmptied() {
    return before.state().isEmptied() || after.state().isEmptied();
  }

  /// Whether there is nothing to do, and at most something to say.
  public boolean isIdle() {
    return effects.isEmpty() && !changesNode();
  }

  public boolean changesNode() {
    return before.state() != after.state()
        || before.unschedulable() != after.unschedulable()
        || (!before.marks().equals(after.marks()) && !annotations().isEmpty());
  }
}
