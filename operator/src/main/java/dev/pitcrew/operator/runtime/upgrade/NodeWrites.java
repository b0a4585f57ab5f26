package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Writes what a plan makes of a node: label, notes and cordon in one patch, and only onto the node
/// that the plan was made from. What was written counts from then on, whether the cache shows it
/// yet or not.
///
/// For use by one thread at a time for each node.
final class NodeWrites {
  private final Cache<Node> nodes;
  private final Applier applier;
  private final Map<String, Node> written = new ConcurrentHashMap<>();

  NodeWrites(Cache<Node> nodes, Applier applier) {
    this.nodes = nodes;
    this.applier = applier;
  }

  /// All nodes as they are now, by name.
  Map<String, Node> nodes() {
    var now = new LinkedHashMap<String, Node>();
    nodes.stream().forEach(node -> now.put(node.getMetadata().getName(), node));
    written.entrySet().removeIf(it -> !lags(now.get(it.getKey()), it.getValue()));
    now.putAll(written);
    return now;
  }

  /// One of them.
  Optional<Node> node(String name) {
    Optional<Node> seen = nodes.get("", name);
    @Nullable Node later = written.get(name);
    return later != null && lags(seen.orElse(null), later) ? Optional.of(later) : seen;
  }

  /// @param live the node that the plan was made from
  /// @return false if another writer has changed the node since
  boolean write(Node live, NodeUpgrade upgrade) {
    if (!upgrade.changesNode()) {
      return true;
    }
    Optional<String> version = applier.mergeIfUnchanged(live, patch(upgrade));
    version.ifPresent(it -> written.put(upgrade.node(), after(live, upgrade, it)));
    return version.isPresent();
  }

  /// What changes of the Node, as a merge patch.
  static ObjectNode patch(NodeUpgrade upgrade) {
    ObjectNode change = KubernetesJson.MAPPER.createObjectNode();
    put(change, "labels", upgrade.labels());
    put(change, "annotations", upgrade.annotations());
    upgrade
        .unschedulable()
        .ifPresent(value -> change.putObject("spec").put("unschedulable", value));
    return change;
  }

  /// Nothing has changed in between, or the write would have been refused.
  private static Node after(Node live, NodeUpgrade upgrade, String version) {
    Node node = new NodeBuilder(live).build();
    ObjectMeta metadata = node.getMetadata();
    metadata.setResourceVersion(version);
    metadata.setLabels(merged(metadata.getLabels(), upgrade.labels()));
    metadata.setAnnotations(merged(metadata.getAnnotations(), upgrade.annotations()));
    upgrade.unschedulable().ifPresent(node.getSpec()::setUnschedulable);
    return node;
  }

  private static Map<String, String> merged(
      @Nullable Map<String, String> texts, Map<String, @Nullable String> changes) {
    var merged = new HashMap<>(Objects.requireNonNullElse(texts, Map.of()));
    changes.forEach((key, value) -> {
      if (value == null) {
        merged.remove(key);
      } else {
        merged.put(key, value);
      }
    });
    return merged;
  }

  /// Versions of one object can be compared as numbers (KEP-5504).
  private static boolean lags(@Nullable Node seen, Node written) {
    return seen != null && version(seen).compareTo(version(written)) < 0;
  }

  private static BigInteger version(Node node) {
    return new BigInteger(node.getMetadata().getResourceVersion());
  }

  private static void put(ObjectNode change, String field, Map<String, @Nullable String> texts) {
    if (!texts.isEmpty()) {
      ObjectNode node = change.withObject("/metadata").putObject(field);
      texts.forEach(node::put);
    }
  }
}
