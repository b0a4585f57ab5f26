package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.Evictor;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.node.NodeSlimming;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What wakes upgrades alone, with nothing else to wake them.
@WithControlPlane
class DriverUpgradesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// How long a pass waits after the API server refused a write.
  private static final Duration REFUSED = Duration.ofSeconds(10);

  private static final String NAMESPACE = "default";
  private static final String NODE = "forestalled";
  private static final String PASS = "pass";

  private final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
  private final KubernetesClient client;
  private final Writes writes = new Writes();
  private final AtomicReference<WorkQueue<String>> queue = new AtomicReference<>();
  private Cache<Node> nodes;
  private Cache<DaemonSet> daemonSets;
  private GpuNodes gpuNodes;
  private DriverUpgrades upgrades;

  DriverUpgradesTest(ControlPlane controlPlane) {
    client = controlPlane.client();
  }

  @BeforeEach
  void begin() throws InterruptedException {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(NODE)
                .addToLabels(NodeLabels.UPGRADE_STATE, "upgrade-done")
                .endMetadata()
                .build())
        .create();
    nodes =
        Cache.of(
            client,
            Node.class,
            CacheOptions.<Node>all()
                .slimmedBy(NodeSlimming::slim)
                .withFields("metadata.name=" + NODE));
    daemonSets =
        Cache.of(client, DaemonSet.class, CacheOptions.<DaemonSet>all().inNamespace(NAMESPACE));
    gpuNodes = new GpuNodes(client, Definitions.GPU_NODE);
    var events = new Events(client, writes, "operator-1", InstantSource.system());
    upgrades =
        new DriverUpgrades(
            client,
            NAMESPACE,
            new DriverUpgrades.Known(nodes, daemonSets, gpuNodes, () -> RolloutSpec.ABSENT),
            new Applier(client, FieldManager.OPERATOR, writes, Applier.FORMER_MANAGERS),
            events,
            new Evictions(new Evictor(client, writes), events),
            InstantSource.system(),
            (_, _, _) -> {},
            delay -> queue.get().addAfter(PASS, delay));
    queue.set(new WorkQueue<>(QueueOptions.named("upgrades", 1), _ -> pass()));
    nodes.start().awaitSync(LIMIT);
    daemonSets.start().awaitSync(LIMIT);
  }

  @AfterEach
  void end() {
    queue.get().close();
    upgrades.close();
    gpuNodes.close();
    daemonSets.close();
    nodes.close();
    client.nodes().withName(NODE).delete();
  }

  /// As by a kubelet that has its devices again at the very moment at which the node is to be
  /// uncordoned: upgrades read nothing of that.
  @Test
  void writeThatConflictsWithAKubelet_isRetriedOnceTheNodeIsReadAgain() {
    var attempts = new AtomicInteger();
    writes.onlyIf(object -> {
      if (object.kind().equals("Node") && attempts.incrementAndGet() <= 2) {
        countDevices(attempts.get());
      }
      return true;
    });

    upgrades.follow(List.of());
    queue.get().start();

    await().atMost(LIMIT).until(() -> !labels().containsKey(NodeLabels.UPGRADE_STATE));
    assertThat(attempts).hasValueGreaterThanOrEqualTo(3);
    assertThat(waits).allSatisfy(wait -> assertThat(wait).isLessThan(REFUSED));
  }

  private Outcome pass() {
    Outcome outcome = upgrades.reconcile();
    if (outcome instanceof Outcome.Wait(Duration delay, String _)) {
      waits.add(delay);
    }
    return outcome;
  }

  private Map<String, String> labels() {
    return client.nodes().withName(NODE).require().getMetadata().getLabels();
  }

  private void countDevices(int devices) {
    client
        .nodes()
        .withName(NODE)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"capacity\": {\"nvidia.com/gpu\": \"%d\"}}}".formatted(devices));
  }
}
