package dev.pitcrew.operator.upgrade;

import static dev.pitcrew.operator.upgrade.Given.NOW;
import static dev.pitcrew.operator.upgrade.UpgradeState.UPGRADE_REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/// A fleet of nodes that want the new driver, or have it.
///
/// @param begin names of the nodes that begin
/// @param reported words in the blocker of each of the others that want to begin
record GateRow(
    String title, String policy, String rollout, List<Given> nodes, String begin, String reported) {
  static final String ONE = "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 100%}";
  static final String ALL = "{autoUpgrade: true, maxParallelUpgrades: 0, maxUnavailable: 100%}";

  void verify() {
    List<UpgradeNode> observed = nodes.stream().map(Given::observed).toList();
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                observed, Rules.policy(policy), Rules.rollout(rollout), Obstacles.NONE, NOW));

    assertThat(
            plan.nodes().stream()
                .filter(it -> it.before().state() == UPGRADE_REQUIRED)
                .filter(it -> it.after().state().isUnderWay())
                .map(NodeUpgrade::node)
                .toList()
                .toString())
        .isEqualTo("[" + begin + "]");
    assertThat(plan.nodes())
        .filteredOn(it -> it.after().state() == UPGRADE_REQUIRED)
        .allSatisfy(it -> assertThat(it.waiting().blocker()).contains(reported));
  }

  @Override
  public String toString() {
    return title;
  }
}
