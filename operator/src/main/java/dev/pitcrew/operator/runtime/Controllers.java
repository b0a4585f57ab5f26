// Long because all controllers and what wakes them have to be seen in one place.
package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.node.MigBusy;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.Evictor;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.QueueMetrics;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.command.OperatorOptions;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.ReconcileResult;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Images;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/// All controllers of the operator and what wakes them. Watching goes on from the start, so that a
/// replica that becomes leader knows the cluster already; acting begins with leadership.
final class Controllers implements AutoCloseable {
  private static final String POLICY = "clusterpolicy-controller";
  private static final String NODES = "node-labeling-controller";
  private static final String AGENT_PODS = "agent-pod-controller";
  private static final String EVICTIONS = "eviction-controller";
  private static final String REQUESTS = "gpu-request-controller";
  private static final int NODE_WORKERS = 8;
  private static final Duration FOREVER = Duration.ofDays(365);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final Caches caches;
  private final Applier applier;
  private final NodeIndex nodeIndex = new NodeIndex();
  private final OpenShiftCaches openShift;
  private final SecretReferences secrets;
  private final PodWatch pods;
  private final NodeReconciler nodes;
  private final OptionalKinds optionalKinds;
  private final GpuRequests requests;
  private final AgentPods agentPods;
  private final GpuNodeEvictions evictions;
  private final AtomicBoolean acting = new AtomicBoolean();
  private final WorkQueue<String> policyQueue;
  private final WorkQueue<String> nodeQueue;
  private final WorkQueue<String> requestQueue;
  private final WorkQueue<String> agentPodQueue;
  private final WorkQueue<String> evictionQueue;
  private final OperatorMetrics metrics;
  private final HeapTrim heapTrim = new HeapTrim();

  Controllers(
      KubernetesClient client,
      OperatorOptions options,
      Map<String, String> environment,
      Writes writes,
      OperatorMetrics metrics,
      InstantSource clock) {
    this.metrics = metrics;
    writes.afterEach(write -> metrics.controllers().wrote(write.verb(), write.object().kind()));
    String namespace = options.namespace();
    caches = new Caches(client, namespace);
    applier = new Applier(client, FieldManager.OPERATOR, writes, Applier.FORMER_MANAGERS);
    openShift = new OpenShiftCaches(client, this::wakePolicy);
    pods = new PodWatch(client, namespace, this::wakePolicySoon);
    secrets = new SecretReferences(client, namespace, this::wakePolicy);
    optionalKinds =
        new OptionalKinds(
            client, caches, openShift, namespace, this::listenToOwned, applier::forgetKind);
    nodes = new NodeReconciler(caches, applier, this::enqueueNode, this::wakePolicy);
    var events = new Events(client, writes, options.podName(), clock);
    requests = new GpuRequests(client, events, clock, this::wakeRequest);
    agentPods = new AgentPods(client, applier, caches, nodeIndex, this::enqueueAgentPod);
    evictions =
        new GpuNodeEvictions(
            client,
            applier,
            caches,
            events,
            new Evictions(new Evictor(client, writes), events),
            this::enqueueEvictions);
    var report =
        new PolicyReport(
            new Rollouts(caches, applier, pods),
            nodes,
            new PolicyStatusWriter(applier, events, clock, namespace),
            new FleetStatusWriter(caches, applier, clock),
            metrics,
            clock);
    var policies =
        new PolicyReconciler(
            caches,
            new Planning(
                caches,
                new FactGathering(caches, nodeIndex, openShift, secrets, namespace),
                new Images(environment)),
            new ObjectApply(applier, caches, clock),
            nodes,
            report);
    policyQueue = queue(POLICY, 1, clock, _ -> policies.reconcile());
    nodeQueue = queue(NODES, NODE_WORKERS, clock, nodes::reconcile);
    requestQueue = queue(REQUESTS, 1, clock, requests::reconcile);
    agentPodQueue = queue(AGENT_PODS, NODE_WORKERS, clock, agentPods::reconcile);
    evictionQueue = queue(EVICTIONS, 1, clock, evictions::reconcile);
  }

  /// Begins to fill the caches.
  void watch() {
    caches.definitions().listen(this::definitionChanged);
    caches.policies().listen(_ -> wakePolicy());
    caches.gpuClusters().listen(_ -> wakePolicy());
    caches.fleetPolicies().listen(_ -> wakePolicy());
    caches.fleetPolicies().listen(_ -> watchEvictions());
    caches.ownNamespace().listen(_ -> wakePolicy());
    caches.nodes().listen(requests::take);
    caches.nodes().listen(this::nodeChanged);
    caches.daemonSets().listen(_ -> watchPods());
    caches.services().listen(_ -> watchPods());
    caches.owned().forEach(this::listenToOwned);
    caches.start();
  }

  /// Begins to act, once everything is known that a plan may depend on.
  void act() {
    try {
      for (Cache<?> cache : caches.all().values()) {
        cache.awaitSync(FOREVER);
      }
      wakePolicy();
      policyQueue.start();
      heapTrim.start();
      nodeQueue.start();
      requestQueue.start();
      agentPodQueue.start();
      evictionQueue.start();
      acting.set(true);
      watchPods();
      watchEvictions();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Ends all work that is under way and begins no other.
  void rest() {
    acting.set(false);
    requestQueue.close();
    agentPodQueue.close();
    evictionQueue.close();
    policyQueue.close();
    nodeQueue.close();
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
    agentPods.close();
    evictions.close();
    pods.close();
    secrets.close();
    openShift.close();
    caches.close();
  }

  private void wakePolicy() {
    policyQueue.add(POLICY);
  }

  /// While operands come up, pods change by the thousand.
  private void wakePolicySoon() {
    policyQueue.addAfter(POLICY, SOON);
  }

  private void enqueueNode(String name) {
    nodeQueue.add(name);
  }

  private void wakeRequest(String pod, Duration delay) {
    requestQueue.addAfter(pod, delay);
  }

  private void enqueueAgentPod(String pod) {
    agentPodQueue.add(pod);
  }

  /// Beside the reference's operands alone nothing is done that the reference would not do.
  private void watchPods() {
    requests.watchWhile(acting.get() && caches.daemonSet(Agent.NAME).isPresent());
    agentPods.watchWhile(acting.get());
  }

  private void enqueueEvictions(String node) {
    evictionQueue.add(node);
  }

  private void watchEvictions() {
    Optional<JsonNode> fleet =
        caches.fleetPolicies().get("", PolicyReport.FLEET).map(Documents::tree);
    MigBusy busy = AgentOrders.of(fleet).mig().busyOrDefault();
    evictions.watchWhile(acting.get() && busy == MigBusy.EVICT);
  }

  private void nodeChanged(Change<Node> change) {
    if (!(change instanceof Change.Updated<Node>(Node before, Node after)
        && sameLabels(before, after)
        && sameMarks(before, after))) {
      nodes.wake(change.latest().getMetadata().getName());
    }
    if (nodeIndex.take(change)) {
      agentPods.nodeChanged(change.latest().getMetadata().getName());
      metrics.policy().gpuNodes(nodeIndex.gpuNodes());
      wakePolicyAfterNodes();
    } else if (change instanceof Change.Updated<Node>(Node before, Node after)
        && !before.getSpec().equals(after.getSpec())) {
      wakePolicyAfterNodes(); // taints decide where pods are due
    }
  }

  /// Nodes seldom join alone, and the labels of one should not wait for a plan that the next node
  /// makes stale.
  private void wakePolicyAfterNodes() {
    policyQueue.addAfter(POLICY, MOMENT);
  }

  /// Of those that an agent may have left, and of taints of others.
  private static boolean sameMarks(Node before, Node after) {
    return Objects.equals(before.getSpec().getTaints(), after.getSpec().getTaints())
        && Objects.equals(before.getStatus().getConditions(), after.getStatus().getConditions());
  }

  private static boolean sameLabels(Node before, Node after) {
    return Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())
        && Objects.equals(
            before.getMetadata().getAnnotations(), after.getMetadata().getAnnotations());
  }

  private <T extends HasMetadata> void listenToOwned(Cache<T> cache) {
    cache.listen(change -> {
      if (change instanceof Change.Deleted<T>(T last)) {
        applier.forget(ObjectKey.of(last));
      }
      wakePolicy();
    });
    cache.listenToLists(version -> {
      applier.forgetMissing(cache.kind(), version, key -> cache.get(key).isPresent());
      wakePolicy();
    });
    wakePolicy();
  }

  private void definitionChanged(Change<GenericKubernetesResource> change) {
    optionalKinds.definitionChanged(change);
    String definition = change.latest().getMetadata().getName();
    refreshed(definition, Kinds.CLUSTER_POLICY, caches.policies());
    refreshed(definition, Kinds.GPU_CLUSTER, caches.gpuClusters());
    refreshed(definition, Kinds.FLEET_POLICY, caches.fleetPolicies());
    if (definition.equals(Kinds.definition(Kinds.CLUSTER_POLICY))) {
      wakePolicy();
    }
  }

  private static void refreshed(
      String definition, ResourceDefinitionContext kind, Cache<GenericKubernetesResource> cache) {
    if (definition.equals(Kinds.definition(kind)) && cache.isAbsent()) {
      cache.refresh();
    }
  }

  private WorkQueue<String> queue(
      String name, int workers, InstantSource clock, Function<String, Outcome> work) {
    var options = QueueOptions.named(name, workers).measuredBy(measured(name));
    return new WorkQueue<>(options, clock, key -> timed(name, key, work));
  }

  private Outcome timed(String controller, String key, Function<String, Outcome> work) {
    long begin = System.nanoTime();
    Outcome outcome;
    try {
      outcome = work.apply(key);
    } catch (RuntimeException e) {
      outcome = Outcome.failed(e);
    }
    metrics
        .controllers()
        .reconciled(
            controller, ReconcileResult.of(outcome), Duration.ofNanos(System.nanoTime() - begin));
    heapTrim.reconciled();
    return outcome;
  }

  private QueueMetrics measured(String controller) {
    return new QueueMetrics() {
      @Override
      public void depth(int keys) {
        metrics.controllers().queueDepth(controller, keys);
      }

      @Override
      public void retried() {
        metrics.controllers().retried(controller);
      }
    };
  }
}
