package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A mutating webhook of another program, which has died: as long as it is configured, the API
/// server answers writes that it is to see with 500.
record DeadWebhook(Scene scene, String daemonSet) implements AutoCloseable {
  static final String SERVICE = "dead.webhook.example";
  private static final String NAME = "dead-webhook";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String YAML =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingWebhookConfiguration
      metadata:
        name: %s
      webhooks:
      - name: %s
        admissionReviewVersions: [v1]
        sideEffects: None
        failurePolicy: Fail
        timeoutSeconds: 5
        clientConfig:
          url: https://127.0.0.1:1/
        rules:
        - apiGroups: [apps]
          apiVersions: [v1]
          operations: [CREATE, UPDATE]
          resources: [daemonsets]
        matchConditions:
        - name: some
          expression: request.name.startsWith('%s')
      """;

  /// One that sees the DaemonSets whose names begin so. Returns when the API server asks it.
  static DeadWebhook of(Scene scene, String prefix) {
    var yaml = YAML.formatted(NAME, SERVICE, prefix).getBytes(StandardCharsets.UTF_8);
    scene.client().load(new ByteArrayInputStream(yaml)).create();
    var webhook = new DeadWebhook(scene, prefix.isEmpty() ? "probe" : prefix);
    webhook.awaitAsked(true);
    return webhook;
  }

  /// Returns when the API server asks it no more.
  @Override
  public void close() {
    var kinds = scene.client().admissionRegistration().v1();
    kinds.mutatingWebhookConfigurations().withName(NAME).delete();
    awaitAsked(false);
  }

  /// The usual client asks ten times, longer and longer after one another, before it reports a 500.
  private void awaitAsked(boolean expected) {
    var config =
        new ConfigBuilder(scene.client().getConfiguration())
            .withRequestRetryBackoffLimit(0)
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      await().atMost(LIMIT).untilAsserted(() -> assertThat(isAsked(client)).isEqualTo(expected));
    }
  }

  private boolean isAsked(KubernetesClient client) {
    try {
      client.resource(probe()).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      return String.valueOf(e.getMessage()).contains(SERVICE);
    }
  }

  private DaemonSet probe() {
    return AdmissionPolicy.daemonSet(daemonSet);
  }
}
