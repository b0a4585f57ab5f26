package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.Readiness;
import dev.pitcrew.operator.upgrade.UpgradeMarks;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Validation;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Takes a node out of upgrades where no operator is to run that would: the label, the notes, and
/// the cordon, if an upgrade set it.
public final class UpgradeTraces {
  private UpgradeTraces() {}

  /// Whether [#remove] has anything to do.
  public static boolean areOn(Node node) {
    return release(node).changesNode();
  }

  /// Does nothing where there are none.
  ///
  /// @return false where the node is another than the one that was seen, or has gone
  /// @throws dev.pitcrew.kube.apply.KubeException when the API server refuses it
  public static boolean remove(Applier applier, Node node) {
    NodeUpgrade release = release(node);
    return !release.changesNode()
        || applier.mergeIfUnchanged(node, NodeWrites.patch(release)).isPresent();
  }

  private static NodeUpgrade release(Node node) {
    Map<String, String> labels =
        Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
    return UpgradePlan.release(
        new UpgradeNode(
            node.getMetadata().getName(),
            labels,
            UpgradeState.of(labels.get(NodeLabels.UPGRADE_STATE)),
            UpgradeMarks.of(
                Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of())),
            node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
            Readiness.READY,
            Optional.empty(),
            Optional.empty(),
            new Validation.Passed(),
            Optional.empty(),
            false));
  }
}
