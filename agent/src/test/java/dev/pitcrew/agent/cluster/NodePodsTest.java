package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A node with more pods than one answer may hold.
@WithControlPlane
class NodePodsTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int PODS = 250;
  private static final int BYTES = 17 * 1024;

  @Test
  void aNodeMayHaveAnyNumberOfPods(
      ControlPlane plane, TestNamespace namespace, @TempDir Path folder) {
    String node = "node-" + namespace.name();
    Concurrently.forEach(
        IntStream.range(0, PODS).boxed().toList(),
        index -> plane.client().resource(pod(namespace.name(), node, index)).create());
    var account = TestAccount.ofDriverManager(plane, namespace.name(), folder);
    try (var server = ApiServer.of(account.atServer());
        var pods = NodePods.follow(server, namespace.name(), node, () -> {})) {
      await().atMost(LIMIT).until(() -> pods.now().isPresent());

      assertThat(pods.now().orElseThrow()).hasSize(PODS);
      assertThat(pods.problem()).isEmpty();
    } finally {
      plane.client().pods().inNamespace(namespace.name()).withGracePeriod(0).delete();
    }
  }

  private static Pod pod(String namespace, String node, int index) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("pod-" + index)
        .withNamespace(namespace)
        .addToAnnotations("example.com/long", "x".repeat(BYTES))
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .addNewContainer()
        .withName("main")
        .withImage("example.com/none")
        .endContainer()
        .endSpec()
        .build();
  }
}
