// Long because all controllers and what wakes them have to be seen in one place.
package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.Evictor;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.command.OperatorOptions;
import dev.pitcrew.operator.computedomain.DomainOrder;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.operand.GpuDetector;
import dev.pitcrew.operator.operand.dra.DomainDaemonRights;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.runtime.domains.ComputeDomains;
import dev.pitcrew.operator.runtime.domains.DomainKinds;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.runtime.rollback.RolledBack;
import dev.pitcrew.operator.runtime.upgrade.DriverUpgrades;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/// All controllers of the operator and what wakes them. Watching goes on from the start, so that a
/// replica that becomes leader knows the cluster already; acting begins with leadership.
final class Controllers implements AutoCloseable {
  private static final String POLICY = "clusterpolicy-controller";
  private static final String CLUSTERS = "gpucluster-controller";
  private static final String DRIVERS = "nvidia-driver-controller";
  private static final String NODES = "node-labeling-controller";
  private static final String UPGRADES = "driver-upgrade-controller";
  private static final String EVICTIONS = "eviction-controller";
  private static final String REQUESTS = "gpu-request-controller";
  private static final String FLEET_STATUS = "fleet-status-controller";
  private static final String DOMAINS = "compute-domain-controller";
  private static final int NODE_WORKERS = 8;
  private static final int DOMAIN_WORKERS = 4;
  private static final Duration FOREVER = Duration.ofDays(365);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final Caches caches;
  private final Applier applier;
  private final NodeIndex nodeIndex = new NodeIndex();
  private final OpenShiftCaches openShift;
  private final SecretReferences secrets;
  private final PodWatch pods;
  private final DriverPods driverPods;
  private final NodeReconciler nodes;
  private final OptionalKinds optionalKinds;
  private final GpuRequests requests;
  private final GpuDetectors detectors;
  private final AgentTakeover takeover;
  private final DriverUpgrades upgrades;
  private final GpuNodes gpuNodes;
  private final GpuNodeEvictions evictions;
  private final AtomicBoolean acting = new AtomicBoolean();
  private final DriverReconciler drivers;
  private final GpuClusterReconciler clusters;
  private final ComputeDomains domains;
  private final Images images;
  private final WorkQueue<String> policyQueue;
  private final WorkQueue<String> clusterQueue;
  private final WorkQueue<String> driverQueue;
  private final WorkQueue<String> nodeQueue;
  private final WorkQueue<String> requestQueue;
  private final WorkQueue<String> upgradeQueue;
  private final WorkQueue<String> evictionQueue;
  private final WorkQueue<String> domainQueue;
  private final WorkQueue<String> fleetStatusQueue;
  private final Resync resync;
  private final OperatorMetrics metrics;
  private final FleetStatusWriter fleetStatus;
  private final HeapTrim heapTrim = new HeapTrim();

  Controllers(
      KubernetesClient client,
      OperatorOptions options,
      Map<String, String> environment,
      Writes writes,
      OperatorMetrics metrics,
      Supplier<Optional<String>> otherInstallation,
      InstantSource clock) {
    this.metrics = metrics;
    writes.afterEach(write -> metrics.controllers().wrote(write.verb(), write.object().kind()));
    String namespace = options.namespace();
    caches = new Caches(client, namespace);
    applier = new Applier(client, FieldManager.OPERATOR, writes, Applier.FORMER_MANAGERS);
    openShift = new OpenShiftCaches(client, this::wakeAll);
    pods = new PodWatch(client, namespace, this::wakePolicySoon);
    driverPods = new DriverPods(client, namespace, this::wakePolicySoon);
    secrets = new SecretReferences(client, namespace, this::wakeAll);
    optionalKinds =
        new OptionalKinds(
            client,
            caches,
            openShift,
            namespace,
            this::listenToOwned,
            applier::forgetKind,
            this::wakeClusters);
    var events = new Events(client, writes, options.podName(), clock);
    gpuNodes = new GpuNodes(client, Kinds.GPU_NODE);
    var hostDrivers =
        new HostDrivers(
            gpuNodes, applier, events, this::wakeNode, this::wakeForRefusals, this::wakeUpgrades);
    detectors = new GpuDetectors(client, namespace, this::wakeNode);
    nodes =
        new NodeReconciler(
            caches,
            applier,
            this::enqueueNode,
            this::labelled,
            detectors,
            hostDrivers,
            new LeftPauses(client, caches),
            clock);
    requests = new GpuRequests(client, events, clock, this::wakeRequest);
    var single = new Evictions(new Evictor(client, writes), events);
    fleetStatus =
        new FleetStatusWriter(
            caches, gpuNodes, applier, clock, this::wakeFleetStatus, this::wakeFleetStatusSoon);
    upgrades =
        new DriverUpgrades(
            client,
            namespace,
            new DriverUpgrades.Known(
                caches.nodes(), caches.daemonSets(), gpuNodes, caches::rollout),
            applier,
            events,
            single,
            clock,
            this::upgradesCounted,
            this::wakeUpgradesAfter);
    evictions =
        new GpuNodeEvictions(gpuNodes, applier, caches, events, single, this::enqueueEvictions);
    var report =
        new PolicyReport(
            new Rollouts(caches, applier, pods, driverPods),
            nodes,
            new PolicyStatusWriter(applier, events, clock, Optional.of(namespace)),
            fleetStatus,
            metrics,
            hostDrivers,
            otherInstallation,
            clock);
    takeover = new AgentTakeover(client, caches, gpuNodes, this::wakePolicySoon, clock);
    var facts = new FactGathering(caches, nodeIndex, openShift, secrets, namespace);
    images = new Images(environment);
    var objects = new ObjectApply(applier, caches, clock, new RolledBack(client));
    var policies =
        new PolicyReconciler(
            caches,
            new Planning(caches, facts, takeover, images),
            objects,
            nodes,
            upgrades,
            report);
    clusters =
        new GpuClusterReconciler(
            caches,
            facts,
            images,
            objects,
            applier,
            optionalKinds,
            nodes,
            new Rollouts(
                caches,
                applier,
                new PodWatch(client, namespace, this::wakeClustersSoon),
                new DriverPods(client, namespace, this::wakeClustersSoon)),
            new PolicyStatusWriter(applier, events, clock, Optional.of(namespace)),
            new GpuClusterDeletion(caches, applier, events),
            clock);
    drivers =
        new DriverReconciler(
            new DriverReading(caches, facts, new ReferencedContent(caches, secrets), images),
            new DriverApply(
                caches,
                objects,
                new DriverTakeover(client, caches, applier, clock),
                new Rollouts(
                    caches,
                    applier,
                    new PodWatch(client, namespace, this::wakeDrivers),
                    new DriverPods(client, namespace, this::wakeDrivers)),
                clock),
            nodes,
            upgrades,
            new DriverReport(applier, events, hostDrivers, clock));
    domains =
        new ComputeDomains(
            client,
            namespace,
            new ComputeDomains.Known(
                caches.nodes(),
                caches.daemonSets(),
                () -> caches.fleetPolicies().get("", PolicyReport.FLEET),
                () -> caches.serviceAccount(DomainDaemonRights.ACCOUNT),
                caches::hasDomainController),
            applier,
            events,
            clock,
            this::enqueueDomain);
    metrics.controllers().countDomains(domains::countsByStatus);
    var queues = new Queues(metrics, heapTrim);
    policyQueue = queues.named(POLICY, 1, _ -> policies.reconcile());
    clusterQueue = queues.named(CLUSTERS, 1, _ -> clusters.reconcile());
    driverQueue = queues.named(DRIVERS, 1, _ -> drivers.reconcile());
    nodeQueue = queues.named(NODES, NODE_WORKERS, nodes::reconcile);
    requestQueue = queues.named(REQUESTS, 1, requests::reconcile);
    upgradeQueue = queues.named(UPGRADES, 1, _ -> upgrades.reconcile());
    evictionQueue = queues.named(EVICTIONS, NODE_WORKERS, evictions::reconcile);
    domainQueue = queues.named(DOMAINS, DOMAIN_WORKERS, domains::reconcile);
    fleetStatusQueue = queues.named(FLEET_STATUS, 1, _ -> fleetStatus.reconcile());
    resync =
        new Resync(
            queues, options.resyncPeriod(), this::wakeAll, nodes::wakeAll, this::wakeUpgrades);
  }

  /// Begins to fill the caches.
  void watch() {
    caches.definitions().listen(this::definitionChanged);
    caches.policies().listen(_ -> wakeAll());
    caches.drivers().listen(_ -> wakeDrivers());
    caches.gpuClusters().listen(_ -> gpuClusterChanged());
    caches.fleetPolicies().listen(_ -> wakePolicy());
    caches.fleetPolicies().listen(_ -> wakeDrivers());
    caches.fleetPolicies().listen(_ -> wakeClusters());
    caches.fleetPolicies().listen(_ -> watchEvictions());
    caches.fleetPolicies().listen(_ -> followDomains());
    caches.fleetPolicies().listen(_ -> wakeFleetStatus());
    caches.ownNamespace().listen(_ -> wakePolicy());
    caches.nodes().listen(requests::take);
    caches.nodes().listen(this::nodeChanged);
    caches.nodes().listen(this::nodeStateChanged);
    caches.nodes().listen(domains::nodeChanged);
    caches.daemonSets().listen(domains::daemonSetChanged);
    caches.daemonSets().listen(this::daemonSetChanged);
    caches.fleetPolicies().listen(_ -> wakeUpgrades());
    caches.daemonSets().listen(_ -> watchPods());
    caches.daemonSets().listen(this::agentChanged);
    caches.owned().forEach(this::listenToOwned);
    caches.start();
  }

  /// Begins to act, once everything is known that a plan may depend on.
  void act() {
    try {
      for (Cache<?> cache : caches.all().values()) {
        cache.awaitSync(FOREVER);
      }
      wakeAll();
      policyQueue.start();
      clusterQueue.start();
      driverQueue.start();
      heapTrim.start();
      nodeQueue.start();
      requestQueue.start();
      upgradeQueue.start();
      evictionQueue.start();
      domainQueue.start();
      fleetStatusQueue.start();
      resync.start();
      acting.set(true);
      watchPods();
      watchEvictions();
      followDomains();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Another installation begins or ceases to act beside this one.
  void otherInstallationChanged() {
    wakePolicy();
  }

  /// Ends all work that is under way and begins no other. While the API server hangs, each queue
  /// takes its whole time to close; one after the other they would outlast the pod's grace period,
  /// and the lease would not be given up.
  void rest() {
    acting.set(false);
    WorkQueue.closeTogether(
        resync::close,
        requestQueue::close,
        upgradeQueue::close,
        upgrades::rest,
        evictionQueue::close,
        domainQueue::close,
        fleetStatusQueue::close,
        policyQueue::close,
        clusterQueue::close,
        driverQueue::close,
        nodeQueue::close);
  }

  List<String> unsynced() {
    caches
        .all()
        .forEach((kind, cache) -> metrics.controllers().isCacheSynced(kind, cache.isSynced()));
    return caches.unsynced();
  }

  @Override
  public void close() {
    rest();
    heapTrim.close();
    requests.close();
    detectors.close();
    takeover.close();
    upgrades.close();
    evictions.close();
    domains.close();
    gpuNodes.close();
    pods.close();
    driverPods.close();
    drivers.close();
    clusters.close();
    secrets.close();
    openShift.close();
    caches.close();
  }

  private void wakePolicy() {
    policyQueue.add(POLICY);
  }

  /// NVIDIADrivers are few, and what they depend on changes on many nodes at once.
  private void wakeDrivers() {
    driverQueue.addAfter(DRIVERS, MOMENT);
  }

  private void wakeAll() {
    wakePolicy();
    wakeClusters();
    wakeDrivers();
  }

  private void wakeClusters() {
    clusterQueue.add(CLUSTERS);
  }

  private void wakeClustersSoon() {
    clusterQueue.addAfter(CLUSTERS, SOON);
  }

  private void labelled() {
    wakePolicy();
    wakeClusters();
  }

  private void gpuClusterChanged() {
    optionalKinds.gpuClusterExists(!caches.gpuClusters().all().isEmpty());
    wakeAll();
  }

  /// While operands come up, pods change by the thousand.
  private void wakePolicySoon() {
    policyQueue.addAfter(POLICY, SOON);
  }

  private void wakeFleetStatus() {
    fleetStatusQueue.add(FLEET_STATUS);
  }

  private void wakeFleetStatusSoon() {
    fleetStatusQueue.addAfter(FLEET_STATUS, SOON);
  }

  private void upgradesCounted(boolean isAutomatic, UpgradeCounts counts, FleetRollout rollout) {
    metrics.policy().driverUpgrades(isAutomatic, counts);
    fleetStatus.take(rollout);
  }

  private void agentChanged(Change<DaemonSet> change) {
    if (change.latest().getMetadata().getName().equals(Agent.NAME)
        && !(change instanceof Change.Updated<DaemonSet>)) {
      wakeFleetStatus();
    }
  }

  private void wakeUpgrades() {
    upgrades.wake();
  }

  private void wakeUpgradesAfter(Duration delay) {
    upgradeQueue.addAfter(UPGRADES, delay);
  }

  private void wakeNode(String name) {
    nodes.wake(name);
  }

  private void wakeForRefusals() {
    wakePolicySoon();
    wakeDrivers();
  }

  private void enqueueNode(String name) {
    nodeQueue.add(name);
  }

  private void wakeRequest(String pod, Duration delay) {
    requestQueue.addAfter(pod, delay);
  }

  /// With NVIDIA's operands only, this does nothing that the NVIDIA GPU Operator would not do.
  private void watchPods() {
    requests.watchWhile(acting.get() && caches.daemonSet(Agent.NAME).isPresent());
    detectors.watchWhile(acting.get() && caches.daemonSet(GpuDetector.NAME).isPresent());
  }

  private void enqueueEvictions(String node) {
    evictionQueue.add(node);
  }

  private void enqueueDomain(String uid) {
    domainQueue.add(uid);
  }

  private void followDomains() {
    boolean areDefined =
        DomainKinds.DEFINITIONS.stream()
            .allMatch(it -> caches.definitions().get("", it).isPresent());
    domains.follow(
        DomainOrder.of(AgentOrders.of(caches.fleetPolicy()).dra().computeDomains(), images),
        acting.get() && areDefined);
  }

  private void watchEvictions() {
    MigBusy busy = AgentOrders.of(caches.fleetPolicy()).mig().busyOrDefault();
    evictions.watchWhile(acting.get() && busy == MigBusy.EVICT);
  }

  private void nodeChanged(Change<Node> change) {
    if (!(change instanceof Change.Updated<Node>(Node before, Node after)
        && sameLabels(before, after)
        && sameMarks(before, after))) {
      nodes.wake(change.latest().getMetadata().getName());
      wakeDriversFor(change.latest());
    }
    if (change instanceof Change.Updated<Node>(Node before, Node after)
        && OwnedUpgrades.isNews(before, after)
        && !caches.drivers().all().isEmpty()) {
      wakePolicySoon();
    }
    if (nodeIndex.take(change)) {
      metrics.policy().gpuNodes(nodeIndex.gpuNodes());
      wakePolicyInAMoment();
    }
  }

  private void nodeStateChanged(Change<Node> change) {
    if (!(change instanceof Change.Updated<Node>(Node before, Node after)
        && Objects.equals(before.getSpec().getUnschedulable(), after.getSpec().getUnschedulable())
        && Objects.equals(before.getStatus().getConditions(), after.getStatus().getConditions())
        && sameLabels(before, after))) {
      upgrades.nodeChanged(change.latest().getMetadata().getName());
    }
  }

  private void wakeDriversFor(Node node) {
    NodeFacts facts = NodeFacts.of(node);
    boolean isConcerned = facts.hasGpuDevice() || facts.label(NodeLabels.GPU_PRESENT).isPresent();
    if (isConcerned && !caches.drivers().all().isEmpty()) {
      wakeDrivers();
    }
  }

  /// Nodes seldom join alone, and the labels of one should not wait for a plan that the next node
  /// makes stale. In a roll-out the counts of a DaemonSet change with each of its pods.
  private void wakePolicyInAMoment() {
    policyQueue.addAfter(POLICY, MOMENT);
    clusterQueue.addAfter(CLUSTERS, MOMENT);
  }

  /// Of those that an agent may have left, and of taints of others.
  private static boolean sameMarks(Node before, Node after) {
    return Objects.equals(before.getSpec().getTaints(), after.getSpec().getTaints())
        && Objects.equals(before.getStatus().getConditions(), after.getStatus().getConditions());
  }

  private static boolean sameLabels(HasMetadata before, HasMetadata after) {
    return Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())
        && Objects.equals(
            before.getMetadata().getAnnotations(), after.getMetadata().getAnnotations());
  }

  private <T extends HasMetadata> void listenToOwned(Cache<T> cache) {
    cache.listen(change -> {
      if (change instanceof Change.Deleted<T>(T last)) {
        applier.forget(ObjectKey.of(last));
        domains.wakeAccount();
      }
      if (!isOfStatusOnly(change)) {
        wakeAll();
      } else {
        wakePolicyInAMoment();
        if (!caches.drivers().all().isEmpty()) {
          wakeDrivers();
        }
      }
    });
    cache.listenToLists(version -> {
      applier.forgetMissing(cache.kind(), version, key -> cache.get(key).isPresent());
      wakeAll();
    });
    wakeAll();
  }

  private void daemonSetChanged(Change<DaemonSet> change) {
    if (!isOfStatusOnly(change)) {
      wakeUpgrades();
      nodes.wakePaused();
    }
  }

  /// Kinds without generations, for which this is unknown, have no status either.
  private static boolean isOfStatusOnly(Change<? extends HasMetadata> change) {
    return change instanceof Change.Updated<?>(HasMetadata before, HasMetadata after)
        && after.getMetadata().getGeneration() != null
        && after.getMetadata().getGeneration().equals(before.getMetadata().getGeneration())
        && Objects.equals(
            before.getMetadata().getOwnerReferences(), after.getMetadata().getOwnerReferences())
        && sameLabels(before, after);
  }

  private void definitionChanged(Change<GenericKubernetesResource> change) {
    optionalKinds.definitionChanged(change);
    String definition = change.latest().getMetadata().getName();
    refreshed(definition, Kinds.CLUSTER_POLICY, caches.policies());
    refreshed(definition, Kinds.NVIDIA_DRIVER, caches.drivers());
    refreshed(definition, Kinds.GPU_CLUSTER, caches.gpuClusters());
    refreshed(definition, Kinds.FLEET_POLICY, caches.fleetPolicies());
    if (definition.equals(Kinds.definition(Kinds.GPU_NODE))) {
      gpuNodes.refresh();
      wakePolicy();
    }
    if (definition.equals(Kinds.definition(Kinds.CLUSTER_POLICY))) {
      wakePolicy();
    }
    if (DomainKinds.DEFINITIONS.contains(definition)) {
      followDomains();
      domains.refresh();
    }
  }

  private static void refreshed(
      String definition, ResourceDefinitionContext kind, Cache<GenericKubernetesResource> cache) {
    if (definition.equals(Kinds.definition(kind)) && cache.isAbsent()) {
      cache.refresh();
    }
  }
}
