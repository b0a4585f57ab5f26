package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.UpgradeState;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which nodes of NVIDIADrivers do not have the driver that is wanted there. As in the NVIDIA GPU
/// Operator, their labels show it, and a node that upgrades skip is left out.
final class OwnedUpgrades {
  private OwnedUpgrades() {}

  /// By name, and their state as the label has it.
  static SortedMap<String, String> unfinished(Stream<Node> nodes) {
    return nodes
        .filter(node -> isUnfinished(labels(node)))
        .collect(
            Collectors.toMap(
                node -> node.getMetadata().getName(),
                OwnedUpgrades::state,
                (first, _) -> first,
                TreeMap::new));
  }

  /// Whether two versions of a node differ in that.
  static boolean isNews(Node before, Node after) {
    return !unfinished(Stream.of(before)).equals(unfinished(Stream.of(after)));
  }

  private static boolean isUnfinished(Map<String, String> labels) {
    String state = labels.getOrDefault(NodeLabels.UPGRADE_STATE, "");
    return labels.containsKey(NodeLabels.DRIVER_OWNER)
        && !"true".equals(labels.get(NodeLabels.UPGRADE_SKIP))
        && !state.isEmpty()
        && !state.equals(UpgradeState.DONE.label());
  }

  private static String state(Node node) {
    return labels(node).getOrDefault(NodeLabels.UPGRADE_STATE, "");
  }

  private static Map<String, String> labels(HasMetadata node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }
}
