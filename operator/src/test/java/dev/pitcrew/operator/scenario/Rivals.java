package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Others who write what the operator writes, each as fast as it can, until they are closed.
final class Rivals implements AutoCloseable {
  static final String DAEMON_SET = "nvidia-device-plugin-daemonset";

  private static final String POLICY_STATUS = "{\"status\":{\"state\":\"notReady\"}}";
  private static final String NODE_LABELS =
      "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.deploy.driver\":null,\"nvidia.com/gpu.present\":null}}}";
  private static final String LABELS = "{\"metadata\":{\"labels\":{\"app\":\"rival-%d\"}}}";

  private final List<Thread> threads = new ArrayList<>();
  private final List<Semaphore> writes = new ArrayList<>();
  private volatile boolean isOver;

  private Rivals() {}

  static Rivals begin(KubernetesClient client) {
    var rivals = new Rivals();
    var policy =
        client
            .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
            .withName("cluster-policy");
    var node = client.nodes().withName("gpu-1");
    var plugin = client.apps().daemonSets().inNamespace(Scene.NAMESPACE).withName(DAEMON_SET);
    rivals.add(_ -> policy.subresource("status").patch(merge(), POLICY_STATUS));
    rivals.add(_ -> node.patch(merge(), NODE_LABELS));
    rivals.add(round -> plugin.patch(merge(), LABELS.formatted(round)));
    return rivals;
  }

  @FunctionalInterface
  private interface Rival {
    void write(int round);
  }

  private void add(Rival rival) {
    var written = new Semaphore(0);
    writes.add(written);
    threads.add(
        Thread.ofVirtual()
            .name("rival")
            .start(() -> {
              for (var round = 0; !isOver; round++) {
                rival.write(round);
                written.release();
              }
            }));
  }

  /// Waits until each has written so often.
  void awaitWrites(int count, Duration limit) throws InterruptedException {
    for (var written : writes) {
      if (!written.tryAcquire(count, limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("the rivals cannot write");
      }
    }
  }

  /// Returns after the last write.
  @Override
  public void close() {
    isOver = true;
    try {
      for (var thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static PatchContext merge() {
    return PatchContext.of(PatchType.JSON_MERGE);
  }
}
