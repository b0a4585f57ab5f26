package dev.pitcrew.operator.runtime.rollback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.upgrade.Rollback;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A DaemonSet is rolled back to its own former template, and an Event reports it only then.
@WithControlPlane
class RejectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final String namespace;
  private Rejections rejections;

  RejectionsTest(ControlPlane plane, TestNamespace namespace) {
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  @BeforeEach
  void listen() {
    rejections =
        new Rejections(
            client,
            new Applier(client, FieldManager.OPERATOR),
            new Events(client, new Writes(), "test", InstantSource.system()));
  }

  @Test
  void formerTemplate_isRestored() {
    want("both", "1");
    want("both", "2");

    assertThat(reject("node a failed", "both")).isTrue();

    assertThat(noted("both")).isEqualTo("2 1 node a failed");
    assertThat(notes("both"))
        .containsExactly("DaemonSet both is rolled back to its former driver: node a failed");
  }

  /// Nodes may still run the driver of the ClusterPolicy's DaemonSet.
  @Test
  void templateOfAnotherDaemonSet_cannotBeRestored() {
    want("new", "2");

    assertThat(reject("node a failed", "new")).isTrue();

    assertThat(noted("new")).isEqualTo("2 - node a failed");
    assertThat(notes("new"))
        .containsExactly(
            "no driver that DaemonSet new had before is known, so it keeps the one that failed, and no further node gets that; ask for another driver: node a failed");
  }

  /// The failure is forgotten with the driver of the last.
  @Test
  void rollbackThatCannotBeReported_delaysTheOthers() {
    for (String name : List.of("first", "last")) {
      want(name, "1");
      want(name, "2");
    }

    assertThat(reject("more than the API server takes".repeat(10_000), "first", "last")).isFalse();
    assertThat(noted("last")).isEmpty();

    assertThat(reject("node a failed", "first", "last")).isTrue();
    assertThat(noted("first")).isEqualTo("2 1 node a failed");
    assertThat(noted("last")).isEqualTo("2 1 node a failed");
  }

  private boolean reject(String why, String... names) {
    var rollbacks = new LinkedHashMap<String, Rollback>();
    Stream.of(names).forEach(name -> rollbacks.put(name, new Rollback("2", "1", why)));
    return rejections.reject(rollbacks, Stream.of(names).map(this::daemonSet).toList());
  }

  /// Returns once the DaemonSet's controller has kept it.
  private void want(String name, String digest) {
    var yaml =
        """
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: %1$s, namespace: %2$s}
        spec:
          selector: {matchLabels: {app: %1$s}}
          template:
            metadata: {labels: {app: %1$s, app.kubernetes.io/component: nvidia-driver}}
            spec:
              nodeSelector: {example.com/none: "true"}
              initContainers:
              - name: k8s-driver-manager
                image: example.com/manager:1
                env: [{name: DRIVER_CONFIG_DIGEST, value: "%3$s"}]
              containers:
              - name: nvidia-driver-ctr
                image: example.com/driver:%3$s
                env: [{name: DRIVER_CONFIG_DIGEST, value: "%3$s"}]
        """
            .formatted(name, namespace, digest);
    client
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .forceConflicts()
        .serverSideApply();
    await()
        .atMost(LIMIT)
        .until(() -> new FormerTemplates(client).withDigest(daemonSet(name), digest).isPresent());
  }

  private DaemonSet daemonSet(String name) {
    return client.apps().daemonSets().inNamespace(namespace).withName(name).require();
  }

  private String noted(String name) {
    return Rejections.noted(daemonSet(name)).map(Rollback::text).orElse("");
  }

  private List<String> notes(String name) {
    return client.events().v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(event -> "GPUDriverRollback".equals(event.getReason()))
        .filter(event -> event.getRegarding().getName().equals(name))
        .map(Event::getNote)
        .toList();
  }
}
