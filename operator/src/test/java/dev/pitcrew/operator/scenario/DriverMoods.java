package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Says of each new driver pod of version 707 when it starts, or that it crashes and for how long;
/// kwok's stages do so. What it says of a node is a function of the seed and of how many pods that
/// node has had.
final class DriverMoods implements AutoCloseable {
  private static final int MOST_MILLIS = 1500;
  private static final int ONE_IN = 4;

  private final KubernetesClient client;
  private final long seed;
  private final Set<String> decided = ConcurrentHashMap.newKeySet();
  private final Map<String, Random> nodes = new ConcurrentHashMap<>();
  private final AtomicInteger late = new AtomicInteger();
  private final AtomicInteger crashed = new AtomicInteger();
  private final Watch watch;

  private DriverMoods(KubernetesClient client, long seed) {
    this.client = client;
    this.seed = seed;
    this.watch =
        client
            .pods()
            .inNamespace(Scene.NAMESPACE)
            .withLabel("app.kubernetes.io/component", "nvidia-driver")
            .watch(new Eye());
  }

  static DriverMoods begin(KubernetesClient client, long seed) {
    return new DriverMoods(client, seed);
  }

  int late() {
    return late.get();
  }

  int crashed() {
    return crashed.get();
  }

  @Override
  public void close() {
    watch.close();
  }

  private void decide(Pod pod) {
    var random = nodes.computeIfAbsent(pod.getSpec().getNodeName(), this::random);
    int millis = random.nextInt(MOST_MILLIS);
    boolean crashes = random.nextInt(ONE_IN) == 0;
    (crashes ? crashed : late).incrementAndGet();
    client
        .resource(pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"testbed.pitcrew.dev/%s\":\"%dms\"}}}"
                .formatted(crashes ? "recovers-after" : "starts-after", millis));
  }

  private Random random(String node) {
    return new Random(Objects.hash(seed, node));
  }

  private final class Eye implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      boolean isNew =
          action != Action.DELETED
              && pod.getSpec().getNodeName() != null
              && pod.getSpec().getContainers().getFirst().getImage().contains(":707.");
      if (isNew && decided.add(pod.getMetadata().getUid())) {
        Thread.startVirtualThread(() -> decide(pod));
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      throw new IllegalStateException("the watch of driver pods has ended", cause);
    }
  }
}
