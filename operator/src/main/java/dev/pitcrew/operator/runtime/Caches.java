package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.operator.node.NodeSlimming;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.operand.dra.ComputeDomainController;
import dev.pitcrew.operator.policy.AgentInForce;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// All that the operator sees of the cluster, in memory. Each kind is watched once, and holds no
/// more than what is used.
final class Caches implements AutoCloseable {
  private final KubernetesClient client;
  private final String namespace;
  private final Cache<GenericKubernetesResource> policies;
  private final Cache<GenericKubernetesResource> drivers;
  private final Cache<GenericKubernetesResource> gpuClusters;
  private final Cache<GenericKubernetesResource> fleetPolicies;
  private final Cache<GenericKubernetesResource> definitions;
  private final Cache<Node> nodes;
  private final Cache<Namespace> ownNamespace;
  private final Cache<ConfigMap> configMaps;
  private final Cache<DaemonSet> daemonSets;
  private final Cache<Service> services;
  private final Cache<ServiceAccount> serviceAccounts;
  private final Map<String, Cache<? extends HasMetadata>> owned = new ConcurrentHashMap<>();

  Caches(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
    policies = Cache.ofGeneric(client, Kinds.CLUSTER_POLICY, CacheOptions.all());
    drivers = Cache.ofGeneric(client, Kinds.NVIDIA_DRIVER, CacheOptions.all());
    gpuClusters = Cache.ofGeneric(client, Kinds.GPU_CLUSTER, CacheOptions.all());
    fleetPolicies = Cache.ofGeneric(client, Kinds.FLEET_POLICY, CacheOptions.all());
    definitions =
        Cache.ofGeneric(
            client,
            Kinds.CRD,
            CacheOptions.<GenericKubernetesResource>all().slimmedBy(Definitions::slim));
    nodes = Cache.of(client, Node.class, CacheOptions.<Node>all().slimmedBy(NodeSlimming::slim));
    ownNamespace =
        Cache.of(
            client,
            Namespace.class,
            CacheOptions.<Namespace>all().withFields("metadata.name=" + namespace));
    configMaps =
        Cache.of(
            client,
            ConfigMap.class,
            CacheOptions.<ConfigMap>all()
                .inNamespace(namespace)
                .slimmedBy(Owners::withoutForeignData));
    daemonSets = inNamespace(DaemonSet.class);
    services = inNamespace(Service.class);
    serviceAccounts = inNamespace(ServiceAccount.class);
    owned.put("ConfigMap", configMaps);
    owned.put("DaemonSet", daemonSets);
    owned.put("ServiceAccount", serviceAccounts);
    owned.put("Service", services);
    owned.put("Role", inNamespace(Role.class));
    owned.put("RoleBinding", inNamespace(RoleBinding.class));
    owned.put("ClusterRole", ofCluster(ClusterRole.class));
    owned.put("ClusterRoleBinding", ofCluster(ClusterRoleBinding.class));
    owned.put("RuntimeClass", ofCluster(RuntimeClass.class));
  }

  Cache<GenericKubernetesResource> policies() {
    return policies;
  }

  /// The NVIDIADrivers.
  Cache<GenericKubernetesResource> drivers() {
    return drivers;
  }

  Cache<GenericKubernetesResource> gpuClusters() {
    return gpuClusters;
  }

  Cache<GenericKubernetesResource> fleetPolicies() {
    return fleetPolicies;
  }

  Cache<GenericKubernetesResource> definitions() {
    return definitions;
  }

  Cache<Node> nodes() {
    return nodes;
  }

  Cache<Namespace> ownNamespace() {
    return ownNamespace;
  }

  Cache<ConfigMap> configMaps() {
    return configMaps;
  }

  Cache<DaemonSet> daemonSets() {
    return daemonSets;
  }

  Cache<Service> services() {
    return services;
  }

  /// The operator's own, in which all operands are.
  String namespace() {
    return namespace;
  }

  Optional<DaemonSet> daemonSet(String name) {
    return daemonSets.get(namespace, name);
  }

  Optional<ServiceAccount> serviceAccount(String name) {
    return serviceAccounts.get(namespace, name);
  }

  Optional<JsonNode> fleetPolicy() {
    return fleetPolicies.get("", PolicyReport.FLEET).map(Documents::tree);
  }

  /// The node agent as it is in force.
  AgentSpec agent() {
    return AgentInForce.of(fleetPolicy(), daemonSet(Agent.NAME));
  }

  /// What the FleetPolicy says of roll-outs.
  ///
  /// @throws UnreadableResource naming the field that cannot be read
  RolloutSpec rollout() {
    return fleetPolicy()
        .map(policy -> ApiJson.read(policy, FleetPolicy.class).spec().rollout())
        .orElse(RolloutSpec.ABSENT);
  }

  /// The caches of kinds that a policy owns objects of.
  Collection<Cache<? extends HasMetadata>> owned() {
    return owned.values();
  }

  /// Takes up a kind whose definition has appeared.
  void addOwned(String kind, Cache<GenericKubernetesResource> cache) {
    owned.put(kind, cache);
  }

  void removeOwned(String kind) {
    Optional.ofNullable(owned.remove(kind)).ifPresent(Cache::close);
  }

  boolean watches(String kind) {
    return owned.containsKey(kind);
  }

  /// Whether NVIDIA's controller of ComputeDomains runs in this namespace, or may: a GPUCluster
  /// brings it, and its kind is watched only then.
  boolean hasDomainController() {
    return !gpuClusters.all().isEmpty()
        && Optional.ofNullable(owned.get("Deployment"))
            .map(
                deployments -> deployments.get(namespace, ComputeDomainController.NAME).isPresent())
            .orElse(true);
  }

  /// The object as the cluster has it, if it is of a kind that we watch.
  Optional<? extends HasMetadata> live(HasMetadata object) {
    var cache = owned.get(object.getKind());
    return cache == null ? Optional.empty() : cache.get(ObjectKey.of(object));
  }

  /// Kinds that are watched now and that a policy owns objects of.
  Set<String> ownedKinds() {
    return Set.copyOf(owned.keySet());
  }

  /// Everything of these kinds that `policy` owns. Only kinds that were known when the plan was
  /// made may be asked for: of one that appeared since, the plan wants nothing yet.
  List<HasMetadata> ownedBy(HasMetadata policy, Set<String> kinds) {
    List<HasMetadata> found = new ArrayList<>();
    owned.forEach((kind, cache) -> {
      if (kinds.contains(kind)) {
        cache.stream().filter(object -> Owners.owns(policy, object)).forEach(found::add);
      }
    });
    return found;
  }

  /// Whether one of our own kinds is defined and yet not served, as it is for a moment after its
  /// definition has come or the API server has started. That there are no objects means nothing
  /// then. Asks again at once.
  boolean isDoubtful() {
    boolean doubtful = false;
    for (var entry :
        Map.of(
                Kinds.CLUSTER_POLICY, policies,
                Kinds.NVIDIA_DRIVER, drivers,
                Kinds.GPU_CLUSTER, gpuClusters,
                Kinds.FLEET_POLICY, fleetPolicies)
            .entrySet()) {
      if (entry.getValue().isAbsent()
          && definitions.get("", Kinds.definition(entry.getKey())).isPresent()) {
        entry.getValue().refresh();
        doubtful = true;
      }
    }
    return doubtful;
  }

  void start() {
    all().values().forEach(Cache::start);
  }

  /// Kinds of which nothing is known yet.
  List<String> unsynced() {
    return all().entrySet().stream()
        .filter(entry -> !entry.getValue().isSynced())
        .map(Map.Entry::getKey)
        .toList();
  }

  Map<String, Cache<? extends HasMetadata>> all() {
    var caches = new LinkedHashMap<String, Cache<? extends HasMetadata>>(owned);
    caches.put("ClusterPolicy", policies);
    caches.put("NVIDIADriver", drivers);
    caches.put("GPUCluster", gpuClusters);
    caches.put("FleetPolicy", fleetPolicies);
    caches.put("CustomResourceDefinition", definitions);
    caches.put("Node", nodes);
    caches.put("Namespace", ownNamespace);
    return caches;
  }

  @Override
  public void close() {
    all().values().forEach(Cache::close);
  }

  private <T extends HasMetadata> Cache<T> inNamespace(Class<T> type) {
    return Cache.of(client, type, CacheOptions.<T>all().inNamespace(namespace));
  }

  /// Of kinds that a cluster has many of, only what a policy or a driver owns.
  private <T extends HasMetadata> Cache<T> ofCluster(Class<T> type) {
    return Cache.of(client, type, CacheOptions.<T>all().keeping(Owners::isOurs));
  }
}
