package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.node.AgentMarks;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.operand.driver.DriverSettings;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.CommonSettings;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Reads the caches into the facts that a plan is made from.
final class FactGathering {
  private static final List<String> DRIVERS =
      List.of("nvidia-driver-daemonset", "nvidia-vgpu-manager-daemonset");
  private static final List<String> OPTIONAL_KINDS = List.of("ServiceMonitor", "PrometheusRule");

  private final Caches caches;
  private final NodeIndex nodes;
  private final OpenShiftCaches openShift;
  private final SecretReferences secrets;
  private final String namespace;

  FactGathering(
      Caches caches,
      NodeIndex nodes,
      OpenShiftCaches openShift,
      SecretReferences secrets,
      String namespace) {
    this.caches = caches;
    this.nodes = nodes;
    this.openShift = openShift;
    this.secrets = secrets;
    this.namespace = namespace;
  }

  /// Whether [#gather] would leave nothing out.
  boolean isComplete() {
    return openShift.isKnown();
  }

  ClusterFacts gather(ClusterPolicySpec spec, ClusterFacts.Agents agents) {
    return gather(DriverSettings.of(spec).references().secrets(), agents);
  }

  /// For drivers, which no agent replaces.
  ///
  /// @param wantedSecrets names of the Secrets that are referred to
  ClusterFacts gather(Set<String> wantedSecrets) {
    return gather(wantedSecrets, ClusterFacts.Agents.NONE);
  }

  private ClusterFacts gather(Set<String> wantedSecrets, ClusterFacts.Agents agents) {
    Collection<NodeSummary> all = nodes.all();
    List<NodeSummary> gpuNodes = all.stream().filter(NodeSummary::gpu).toList();
    Optional<OpenShift> cluster = openShift.gather();
    return new ClusterFacts(
        namespace,
        cluster.isPresent() ? ContainerRuntime.CRIO : runtime(gpuNodes),
        cluster,
        pools(gpuNodes),
        !gpuNodes.isEmpty(),
        new TreeSet<>(nodes.unlabelledGpuNodes()),
        all.stream().anyMatch(NodeSummary::featureLabels),
        configMaps(),
        secrets.existing(wantedSecrets),
        OPTIONAL_KINDS.stream().filter(caches::watches).collect(Collectors.toUnmodifiableSet()),
        servedSystems(),
        agents,
        isTainting(all));
  }

  /// Also where agents are to taint none any more, while pods tolerate that and a node is tainted
  /// as unhealthy: to take the toleration away before the taint would end its driver.
  private boolean isTainting(Collection<NodeSummary> nodes) {
    return (caches.agent().isEnabled() && AgentOrders.of(caches.fleetPolicy()).taintNodes())
        || (nodes.stream()
                .flatMap(node -> node.taints().stream())
                .anyMatch(taint -> taint.key().equals(AgentMarks.UNHEALTHY))
            && caches.daemonSets().stream()
                .filter(it -> !it.getMetadata().getName().equals(Agent.NAME))
                .anyMatch(it ->
                    CommonSettings.tolerateTaintsOfAgents(it.getSpec().getTemplate().getSpec())));
  }

  private static ContainerRuntime runtime(List<NodeSummary> gpuNodes) {
    return ContainerRuntime.ofCluster(
        gpuNodes.stream().map(NodeSummary::runtimeVersion).sorted().distinct().toList());
  }

  private static SortedSet<NodePool> pools(List<NodeSummary> gpuNodes) {
    return gpuNodes.stream()
        .flatMap(node -> node.pool().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Map<String, SortedSet<String>> configMaps() {
    return caches.configMaps().stream()
        .collect(
            Collectors.toUnmodifiableMap(
                configMap -> configMap.getMetadata().getName(), FactGathering::keys));
  }

  private static SortedSet<String> keys(ConfigMap configMap) {
    Set<String> keys =
        new HashSet<>(
            Objects.requireNonNullElse(configMap.getData(), Map.<String, String>of()).keySet());
    keys.addAll(
        Objects.requireNonNullElse(configMap.getBinaryData(), Map.<String, String>of()).keySet());
    return new TreeSet<>(keys);
  }

  private Map<String, String> servedSystems() {
    var systems = new HashMap<String, String>();
    for (String driver : DRIVERS) {
      caches
          .daemonSet(driver)
          .flatMap(FactGathering::operatingSystem)
          .ifPresent(system -> systems.put(driver, system));
    }
    return Map.copyOf(systems);
  }

  /// The tag at the end of the driver image names the operating system that it was built for.
  private static Optional<String> operatingSystem(DaemonSet driver) {
    String image = driver.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
    int dash = image.lastIndexOf('-');
    return dash < 0 ? Optional.empty() : Optional.of(image.substring(dash + 1));
  }
}
