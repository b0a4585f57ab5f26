package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The nodes that share one upgrade policy, and with it one budget.
///
/// @param owner value of the node label `nvidia.com/gpu-operator.driver.owner`, which names the
///   NVIDIADriver of a node; empty for all nodes, as a ClusterPolicy has them
public record UpgradeScope(String owner, UpgradePolicySpec policy) {

  /// Those that a ClusterPolicy upgrades automatically; none where sandbox workloads are on, as
  /// their nodes have other drivers.
  public static List<UpgradeScope> of(ClusterPolicySpec policy) {
    return policy.sandboxWorkloads().isEnabled() || !policy.driver().upgradePolicy().isAutoUpgrade()
        ? List.of()
        : List.of(new UpgradeScope("", policy.driver().upgradePolicy()));
  }

  /// What of the policy cannot be read, and what would be. No node begins before that is fixed.
  public Optional<String> problem() {
    return PodSelectors.problem(policy).or(() -> Budget.problem(policy));
  }

  /// Whether a node with these labels is one of them.
  public boolean includes(Map<String, String> labels) {
    return owner.isEmpty() || owner.equals(labels.get(NodeLabels.DRIVER_OWNER));
  }
}
