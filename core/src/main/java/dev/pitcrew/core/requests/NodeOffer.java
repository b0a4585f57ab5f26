package dev.pitcrew.core.requests;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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

  /// @param capacity all of the Node's resources that are whole numbers, as is `allocatable`
  /// @param taints all of the Node's
  public static NodeOffer of(
      String node,
      boolean gpu,
      Map<String, String> labels,
      Map<String, Long> capacity,
      Map<String, Long> allocatable,
      List<Taint> taints) {
    SortedMap<String, Long> gpus = ofGpus(capacity);
    var strategies = new TreeMap<String, String>();
    for (String resource : gpus.keySet()) {
      Optional.ofNullable(labels.get(unshared(resource) + ".sharing-strategy"))
          .ifPresent(strategy -> strategies.put(resource, strategy));
    }
    return new NodeOffer(
        node,
        gpu,
        gpus,
        ofGpus(allocatable),
        strategies,
        labels,
        taints.stream().filter(taint -> !taint.isPreference() && !isState(taint.key())).toList());
  }

  /// Whether pods that ask for GPUs need to know of the node.
  public boolean matters() {
    return gpu || !capacity.isEmpty();
  }

  /// The taints that keep a pod off which has these tolerations.
  public List<Taint> untolerated(Collection<Toleration> tolerations) {
    return taints.stream().filter(taint -> !taint.isTolerated(tolerations)).toList();
  }

  /// Whether it has all that is asked for, in use or not.
  public boolean has(GpuDemand demand) {
    return demand.asks().entrySet().stream()
        .allMatch(ask -> capacity.getOrDefault(ask.getKey(), 0L) >= ask.getValue().count());
  }

  /// Whether a taint of that key says how the node is, and disappears automatically.
  public static boolean isState(String taint) {
    return STATES.stream().anyMatch(taint::startsWith) || taint.endsWith(NOT_READY);
  }

  /// A GPU node that advertises nothing: its driver or its device plugin are still to come.
  public boolean isSilent() {
    return gpu && capacity.values().stream().allMatch(amount -> amount == 0);
  }

  /// The name that the device plugin gives a resource before it is renamed for being shared.
  static String unshared(String resource) {
    return resource.endsWith(SHARED)
        ? resource.substring(0, resource.length() - SHARED.length())
        : resource;
  }

  private static SortedMap<String, Long> ofGpus(Map<String, Long> amounts) {
    var gpus = new TreeMap<>(amounts);
    gpus.keySet().removeIf(resource -> !resource.startsWith(GpuDemand.PREFIX));
    return gpus;
  }
}
