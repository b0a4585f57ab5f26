package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.api.nvidiadriver.NvidiaDriver;
import dev.pitcrew.core.rollout.RolloutWords;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.node.NodeSlimming;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.upgrade.FleetView;
import dev.pitcrew.operator.upgrade.Obstacles;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The fleet as a roll-out sees it, for those who only look: it reads what [DriverUpgrades] reads,
/// and writes nothing.
public final class LiveFleet implements AutoCloseable {

  /// The kinds that come with a definition.
  public record Kinds(
      ResourceDefinitionContext clusterPolicy,
      ResourceDefinitionContext nvidiaDriver,
      ResourceDefinitionContext fleetPolicy,
      ResourceDefinitionContext gpuNode) {}

  /// What a node has and is to have, as the tags of the images say.
  public record Drivers(String present, String wanted) {}

  /// What the operator says of the resource that has an upgrade policy.
  ///
  /// @param isObserved whether it has looked at the resource as it is now
  /// @param refusal why it does not carry the resource out, if it does not
  public record Observation(boolean isObserved, Optional<String> refusal) {}

  /// One upgrade policy and its nodes.
  ///
  /// @param source the resource that has the policy
  /// @param drivers by node
  /// @param reports what is written in their GPUNodes, by node
  public record Fleet(
      String source,
      Observation observation,
      FleetView view,
      Map<String, Drivers> drivers,
      Map<String, RolloutStatus> reports) {}

  /// What the source of a fleet begins with that is an NVIDIADriver's.
  public static final String NVIDIA_DRIVER = "NVIDIADriver ";

  private final Cache<GenericKubernetesResource> policies;
  private final Cache<GenericKubernetesResource> nvidiaDrivers;
  private final Cache<GenericKubernetesResource> fleetPolicies;
  private final Cache<Node> nodes;
  private final Cache<DaemonSet> daemonSets;
  private final GpuNodes gpuNodes;
  private final UpgradeSources sources;

  /// @param changed called on each change
  public LiveFleet(KubernetesClient client, String namespace, Kinds kinds, Runnable changed) {
    policies = Cache.ofGeneric(client, kinds.clusterPolicy(), CacheOptions.all());
    nvidiaDrivers = Cache.ofGeneric(client, kinds.nvidiaDriver(), CacheOptions.all());
    fleetPolicies = Cache.ofGeneric(client, kinds.fleetPolicy(), CacheOptions.all());
    nodes = Cache.of(client, Node.class, CacheOptions.<Node>all().slimmedBy(NodeSlimming::slim));
    daemonSets =
        Cache.of(client, DaemonSet.class, CacheOptions.<DaemonSet>all().inNamespace(namespace));
    gpuNodes = new GpuNodes(client, kinds.gpuNode());
    sources = new UpgradeSources(client, namespace, gpuNodes, _ -> changed.run(), changed, _ -> {});
    caches().forEach(cache -> cache.listen(_ -> changed.run()));
    caches().forEach(cache -> cache.listenToLists(_ -> changed.run()));
    caches().forEach(Cache::start);
    sources.open();
  }

  /// @return false where the API server does not answer in time
  public boolean awaitSync(Duration limit) throws InterruptedException {
    Instant end = Instant.now().plus(limit);
    UpgradeSources.Open open = sources.open();
    for (Cache<?> cache :
        Stream.concat(
                caches(),
                Stream.of(open.drivers().all(), open.validators().all(), open.preflights()))
            .toList()) {
      if (!cache.awaitSync(Duration.between(Instant.now(), end))) {
        return false;
      }
    }
    return gpuNodes.awaitSync(Duration.between(Instant.now(), end));
  }

  /// Sources whose drivers are not upgraded automatically, by name, and why.
  public SequencedMap<String, String> unattended() {
    var unattended = new LinkedHashMap<String, String>();
    sources()
        .filter(it -> it.scope().isEmpty())
        .forEach(it -> unattended.put(it.name(), it.unattended()));
    return unattended;
  }

  /// Whether anything says which drivers nodes get.
  public boolean hasSources() {
    return sources().findAny().isPresent();
  }

  /// Whether the NVIDIADriver of this name says which driver its nodes get.
  public boolean hasDriver(String name) {
    return sources().anyMatch(it -> it.name().equals(NVIDIA_DRIVER + name));
  }

  /// All that are upgraded automatically.
  ///
  /// @throws dev.pitcrew.api.UnreadableResource naming the field that cannot be read
  public List<Fleet> fleets(Instant now) {
    Map<String, Node> byName =
        nodes.stream()
            .collect(Collectors.toMap(it -> it.getMetadata().getName(), Function.identity()));
    FleetReading reading =
        FleetReading.of(sources.open(), byName, daemonSets, Set.of(), new Readings());
    Rollout rollout = Rollout.of(this::rollout);
    Set<String> seen = new HashSet<>();
    List<Fleet> fleets = new ArrayList<>();
    for (Source source : sources().filter(it -> it.scope().isPresent()).toList()) {
      fleets.add(fleet(source, rollout, reading, seen, now));
    }
    return fleets;
  }

  @Override
  public void close() {
    sources.close();
    gpuNodes.close();
    caches().forEach(Cache::close);
  }

  /// @param unattended why it has no scope, where it has none
  private record Source(
      String name, Observation observation, Optional<UpgradeScope> scope, String unattended) {}

  private Stream<Source> sources() {
    Optional<GenericKubernetesResource> policy = PolicyInForce.of(policies.all());
    Optional<ClusterPolicySpec> spec =
        policy.map(it -> ApiJson.read(tree(it), ClusterPolicy.class).spec());
    if (spec.filter(it -> !it.driver().isLeftToNvidiaDrivers()).isPresent()) {
      return Stream.of(
          new Source(
              "ClusterPolicy " + policy.orElseThrow().getMetadata().getName(),
              observation(policy.get()),
              UpgradeScope.of(spec.get()).stream().findFirst(),
              spec.get().sandboxWorkloads().isEnabled()
                  ? RolloutWords.SANDBOX
                  : RolloutWords.NOT_ASKED));
    }
    return nvidiaDrivers.stream()
        .sorted(
            (one, other) -> one.getMetadata().getName().compareTo(other.getMetadata().getName()))
        .map(it -> {
          String name = it.getMetadata().getName();
          var upgrades = ApiJson.read(tree(it), NvidiaDriver.class).spec().upgradePolicy();
          return new Source(
              NVIDIA_DRIVER + name,
              observation(it),
              upgrades.isAutoUpgrade()
                  ? Optional.of(new UpgradeScope(name, upgrades))
                  : Optional.empty(),
              RolloutWords.NOT_ASKED);
        });
  }

  private static Observation observation(GenericKubernetesResource resource) {
    JsonNode conditions = tree(resource).at("/status/conditions");
    long generation = Objects.requireNonNullElse(resource.getMetadata().getGeneration(), 0L);
    boolean observed = !conditions.isEmpty();
    Optional<String> refusal = Optional.empty();
    for (JsonNode condition : conditions) {
      observed &= condition.path("observedGeneration").asLong() >= generation;
      if ("True".equals(condition.path("status").asText())
          && RolloutWords.REFUSALS.contains(condition.path("reason").asText())) {
        refusal = Optional.of(condition.path("message").asText());
      }
    }
    return new Observation(observed, refusal);
  }

  private Fleet fleet(
      Source source, Rollout rollout, FleetReading reading, Set<String> seen, Instant now) {
    UpgradeScope scope = source.scope().orElseThrow();
    var none =
        new NodePodReading(
            Optional.empty(), LabelSelector.of(""), _ -> false, _ -> Optional.empty());
    List<UpgradeNode> members = reading.members(scope, seen, none);
    Map<String, Drivers> drivers = new HashMap<>();
    Map<String, RolloutStatus> reports = new HashMap<>();
    for (UpgradeNode node : members) {
      drivers.put(node.name(), DriverVersions.of(reading, node.name()));
      sources
          .open()
          .reports()
          .of(node.name())
          .ifPresent(it -> reports.put(node.name(), it.rollout()));
    }
    var view =
        new FleetView(
            members,
            scope.policy(),
            rollout.spec(),
            new Obstacles(
                rollout.problem().or(scope::problem),
                Preflights.refused(reading, members, rollout.spec(), now),
                List.of()),
            now);
    return new Fleet(source.name(), source.observation(), view, drivers, reports);
  }

  private RolloutSpec rollout() {
    return fleetPolicies.stream()
        .findFirst()
        .map(it -> ApiJson.read(tree(it), FleetPolicy.class).spec().rollout())
        .orElse(RolloutSpec.ABSENT);
  }

  private Stream<Cache<?>> caches() {
    return Stream.of(policies, nvidiaDrivers, fleetPolicies, nodes, daemonSets);
  }

  private static JsonNode tree(GenericKubernetesResource resource) {
    return KubernetesJson.MAPPER.valueToTree(resource.getAdditionalProperties());
  }
}
