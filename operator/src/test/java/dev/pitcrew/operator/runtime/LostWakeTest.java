package dev.pitcrew.operator.runtime;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.node.ProviderMoves;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The controller of node labels without the wakes of its cache: each change of a node is known,
/// and its wake is lost.
@WithControlPlane
class LostWakeTest {
  private static final String NAMESPACE = "default";
  private static final String NODE = "lost-1";
  private static final String LABEL = NodeLabels.DEPLOY_PREFIX + "driver";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PERIOD = Duration.ofMillis(100);

  private final KubernetesClient client;
  private final Caches caches;
  private final NodeReconciler nodes;
  private final WorkQueue<String> queue;
  private final Resync resync;

  LostWakeTest(KubernetesClient client) {
    this.client = client;
    var applier = new Applier(client, FieldManager.OPERATOR);
    var events = new Events(client, new Writes(), "operator-1", InstantSource.system());
    caches = new Caches(client, NAMESPACE);
    nodes =
        new NodeReconciler(
            caches,
            applier,
            this::enqueue,
            () -> {},
            new GpuDetectors(client, NAMESPACE, _ -> {}),
            new HostDrivers(
                new GpuNodes(client, Kinds.GPU_NODE), applier, events, _ -> {}, () -> {}, () -> {}),
            new LeftPauses(client, caches),
            InstantSource.system());
    var queues = new Queues(new OperatorMetrics(), new HeapTrim());
    queue = queues.named("node-labeling-controller", 1, nodes::reconcile);
    resync = new Resync(queues, PERIOD, nodes::wakeAll);
  }

  private void enqueue(String node) {
    queue.add(node);
  }

  @AfterEach
  void close() {
    resync.close();
    queue.close();
    caches.close();
  }

  @Test
  void eachResyncRepairsANodeWhoseChangeWokeNoController() throws InterruptedException {
    client.resource(NodeTemplate.gpu("lost").node(1)).create();
    caches.nodes().start().awaitSync(LIMIT);
    nodes.follow(Policies.from(""), ProviderMoves.NONE, Optional.empty());
    queue.start();
    awaitLabel(Optional.of("true"));

    removeLabel();
    awaitLabel(Optional.empty());
    resync.start();
    awaitLabel(Optional.of("true"));

    removeLabel();
    await("the label is written again")
        .atMost(LIMIT)
        .until(() -> label().equals(Optional.of("true")));
  }

  private void removeLabel() {
    client
        .nodes()
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": null}}}".formatted(LABEL));
  }

  /// Of the cluster.
  private Optional<String> label() {
    return Optional.ofNullable(
        client.nodes().withName(NODE).require().getMetadata().getLabels().get(LABEL));
  }

  private void awaitLabel(Optional<String> expected) {
    await("the cache knows that %s is %s".formatted(LABEL, expected))
        .atMost(LIMIT)
        .until(() ->
            caches
                .nodes()
                .get("", NODE)
                .map(node -> node.getMetadata().getLabels().get(LABEL))
                .equals(expected));
  }
}
