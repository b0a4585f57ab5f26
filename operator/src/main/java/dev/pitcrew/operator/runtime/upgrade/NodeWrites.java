package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import io.fabric8.kubernetes.api.model.Node;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Writes what a plan makes of a node: label, notes and cordon in one patch, and only onto the node
/// that the plan was made from. What was written counts as long as the cache does not show it yet:
/// no plan is made of a node before the last one.
///
/// For use by one thread at a time for each node.
final class NodeWrites {
  private final Applier applier;
  private final Map<String, String> written = new ConcurrentHashMap<>();

  NodeWrites(Applier applier) {
    this.applier = applier;
  }

  /// Whether the cache does not show yet what was written, of any node.
  boolean isAheadOf(Cache<Node> nodes) {
    written
        .entrySet()
        .removeIf(entry ->
            nodes.get("", entry.getKey()).filter(it -> lags(it, entry.getValue())).isEmpty());
    return !written.isEmpty();
  }

  /// @return false where somebody else has changed the node since it was seen
  boolean write(Node live, NodeUpgrade upgrade) {
    if (!upgrade.changesNode()) {
      return true;
    }
    ObjectNode change = KubernetesJson.MAPPER.createObjectNode();
    put(change, "labels", upgrade.labels());
    put(change, "annotations", upgrade.annotations());
    upgrade
        .unschedulable()
        .ifPresent(value -> change.putObject("spec").put("unschedulable", value));
    Optional<String> version = applier.mergeIfUnchanged(live, change);
    version.ifPresent(it -> written.put(upgrade.node(), it));
    return version.isPresent();
  }

  /// Versions of one object can be compared as numbers (KEP-5504).
  private static boolean lags(Node node, String version) {
    return new BigInteger(node.getMetadata().getResourceVersion())
            .compareTo(new BigInteger(version))
        < 0;
  }

  private static void put(ObjectNode change, String field, Map<String, @Nullable String> texts) {
    if (!texts.isEmpty()) {
      ObjectNode node = change.withObject("/metadata").putObject(field);
      texts.forEach(node::put);
    }
  }
}
