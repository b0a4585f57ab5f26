package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.kube.apply.Evictor;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.eviction.PodToEvict;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// When pods are asked again, with the answers of a real API server.
@WithControlPlane
class EvictionAttemptsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final Queue<String> answered = new ConcurrentLinkedQueue<>();
  private final KubernetesClient client;
  private final String namespace;

  EvictionAttemptsTest(ControlPlane plane, TestNamespace namespace) {
    client = plane.client();
    this.namespace = namespace.name();
  }

  /// A budget protects running pods only.
  private Pod pinned() {
    apply(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: pinned}
        spec: {minAvailable: 1, selector: {matchLabels: {app: pinned}}}
        """);
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: pinned, labels: {app: pinned}}
        spec: {nodeName: node-a, containers: [{name: c, image: i}]}
        """);
    return client
        .pods()
        .inNamespace(namespace)
        .withName("pinned")
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Running\"}}");
  }

  private void apply(String yaml) {
    client
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(namespace)
        .serverSideApply();
  }

  /// The pass has looked at the pod just before: nothing else would wake the next one.
  @Test
  void timeThatComesDuringAPassIsNotLost() {
    var writes = new Writes();
    var events = new Events(client, writes, "operator-1", InstantSource.system());
    try (var attempts =
        new EvictionAttempts(
            new Evictions(new Evictor(client, writes), events), now::get, answered::add)) {
      Pod pod = pinned();
      String uid = pod.getMetadata().getUid();
      attempts.evict(
          new PodToEvict(namespace, "pinned", uid, "node-a"), () -> Optional.of(pod), "a test");
      await().atMost(LIMIT).until(() -> answered.contains("node-a"));
      assertThat(attempts.refusal(uid)).isPresent();
      Instant next = attempts.next(START).orElseThrow();
      assertThat(next).isAfter(START);

      now.set(next.plusMillis(100));
      assertThat(attempts.next(next.minusMillis(100))).as("it came during the pass").hasValue(next);
      assertThat(attempts.next(next.plusMillis(50))).as("the pass has asked the pod").isEmpty();
    }
  }
}
