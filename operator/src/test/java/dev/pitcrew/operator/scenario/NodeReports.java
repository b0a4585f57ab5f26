package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;

/// What the GPUNodes say of a roll-out, where no agent has made them.
record NodeReports(KubernetesClient client) implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String VERSION = "pitcrew.dev/v1alpha1";
  private static final String KIND = "GPUNode";

  /// Makes the GPUNode of a node, so that something can be said in it.
  void reportOn(String node) {
    var gpuNode = new GenericKubernetesResource();
    gpuNode.setApiVersion(VERSION);
    gpuNode.setKind(KIND);
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(node).build());
    client.resource(gpuNode).create();
  }

  /// Waits until all these words are said of a node.
  void awaitWords(String node, String... words) {
    await().atMost(UpgradeFleet.LIMIT).untilAsserted(() -> assertThat(of(node)).contains(words));
  }

  /// `status.rollout`, as JSON.
  String of(String node) {
    return rollout(node).toString();
  }

  /// Since when a node is where it is.
  Instant since(String node) {
    return Instant.parse(rollout(node).path("since").asText());
  }

  private JsonNode rollout(String node) {
    return JSON.<JsonNode>valueToTree(
            client.genericKubernetesResources(VERSION, KIND).withName(node).require())
        .at("/status/rollout");
  }

  @Override
  public void close() {
    client.genericKubernetesResources(VERSION, KIND).delete();
  }
}
