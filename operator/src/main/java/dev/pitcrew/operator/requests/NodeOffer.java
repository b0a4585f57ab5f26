package dev.pitcrew.operator.requests;

import dev.pitcrew.operator.node.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What one node has of the resources under `nvidia.com/`.
///
/// @param gpu whether it has an NVIDIA device that pods should get
/// @param capacity by resource; 0 where the kubelet remembers a resource that has no devices now
/// @param allocatable the same, without devices that are unhealthy
/// @param strategies how each resource is shared, as the label `<resource>.sharing-strategy` says
/// @param labels all of the Node's
public record NodeOffer(
    String node,
    boolean gpu,
    SortedMap<String, Long> capacity,
    SortedMap<String, Long> allocatable,
    Map<String, String> strategies,
    Map<String, String> labels) {
  private static final String SHARED = ".shared";

  public NodeOffer {
    capacity = Collections.unmodifiableSortedMap(capacity);
    allocatable = Collections.unmodifiableSortedMap(allocatable);
    strategies = Map.copyOf(strategies);
    labels = Map.copyOf(labels);
  }

  /// Reads a Node as the API server sends it or as the operator keeps it.
  public static NodeOffer of(Node node) {
    NodeFacts facts = NodeFacts.of(node);
    SortedMap<String, Long> capacity = amounts(node, NodeStatus::getCapacity);
    var strategies = new TreeMap<String, String>();
    capacity
        .keySet()
        .forEach(resource ->
            facts
                .label(unshared(resource) + ".sharing-strategy")
                .ifPresent(strategy -> strategies.put(resource, strategy)));
    return new NodeOffer(
        facts.name(),
        (facts.hasGpuDevice() || facts.isGpuNode()) && !facts.optsOut(),
        capacity,
        amounts(node, NodeStatus::getAllocatable),
        strategies,
        facts.labels());
  }

  /// Whether pods that ask for GPUs need to know of the node.
  public boolean matters() {
    return gpu || !capacity.isEmpty();
  }

  /// A GPU node that advertises nothing: its driver or its device plugin are still to come.
  boolean isSilent() {
    return gpu && capacity.values().stream().allMatch(amount -> amount == 0);
  }

  /// The name that the device plugin gives a resource before it is renamed for being shared.
  static String unshared(String resource) {
    return resource.endsWith(SHARED)
        ? resource.substring(0, resource.length() - SHARED.length())
        : resource;
  }

  private static SortedMap<String, Long> amounts(
      Node node, Function<NodeStatus, @Nullable Map<String, Quantity>> part) {
    var amounts = new TreeMap<String, Long>();
    if (node.getStatus() != null) {
      Objects.requireNonNullElse(part.apply(node.getStatus()), Map.<String, Quantity>of())
          .forEach((resource, quantity) -> {
            if (resource.startsWith(GpuDemand.PREFIX)) {
              amounts.put(resource, GpuDemand.amount(quantity));
            }
          });
    }
    return amounts;
  }
}
