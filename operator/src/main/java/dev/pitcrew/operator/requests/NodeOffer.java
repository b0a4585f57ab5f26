package dev.pitcrew.operator.requests;

import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.node.Taints;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
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
/// @param taints by which a user keeps it for certain pods; not those that report a state, which
///   disappear automatically
public record NodeOffer(
    String node,
    boolean gpu,
    SortedMap<String, Long> capacity,
    SortedMap<String, Long> allocatable,
    Map<String, String> strategies,
    Map<String, String> labels,
    List<Taint> taints) {
  private static final String SHARED = ".shared";

  /// Of Kubernetes and of ourselves.
  private static final List<String> STATES =
      List.of("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "pitcrew.dev/");

  /// In what the taints of other projects end that keep pods off a node until it is set up.
  private static final String NOT_READY = "not-ready";

  public NodeOffer {
    capacity = Collections.unmodifiableSortedMap(capacity);
    allocatable = Collections.unmodifiableSortedMap(allocatable);
    strategies = Map.copyOf(strategies);
    labels = Map.copyOf(labels);
    taints = List.copyOf(taints);
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
        facts.labels(),
        Taints.of(node).stream()
            .filter(taint -> !Taints.isPreference(taint) && !isState(taint.getKey()))
            .map(taint -> new Taint(taint.getEffect(), taint.getKey(), null, taint.getValue()))
            .toList());
  }

  /// Whether pods that ask for GPUs need to know of the node.
  public boolean matters() {
    return gpu || !capacity.isEmpty();
  }

  /// The taints that keep a pod off which has these tolerations.
  List<Taint> untolerated(Collection<Toleration> tolerations) {
    return taints.stream().filter(taint -> !Taints.isTolerated(taint, tolerations)).toList();
  }

  /// Whether it has all that is asked for, in use or not.
  boolean has(GpuDemand demand) {
    return demand.asks().entrySet().stream()
        .allMatch(ask -> capacity.getOrDefault(ask.getKey(), 0L) >= ask.getValue().count());
  }

  static boolean isState(String taint) {
    return STATES.stream().anyMatch(taint::startsWith) || taint.endsWith(NOT_READY);
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
