package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Objects;

/// An NVIDIADriver of the cluster, as its user writes and reads it.
record NvidiaDriver(KubernetesClient client, String name) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// What installs the driver that the scenarios' ClusterPolicies install.
  static final String SPEC =
      """
      {"driverType":"gpu","repository":"nvcr.io/nvidia","image":"driver","version":"595.91.07",\
      "manager":{"repository":"nvcr.io/nvidia/cloud-native","image":"k8s-driver-manager",\
      "version":"v0.12.0"}%s}\
      """;

  /// Creates one.
  ///
  /// @param more further fields, as `,"default":true`
  NvidiaDriver create(String more) {
    String spec = SPEC.formatted(more);
    String object =
        """
        {"apiVersion":"nvidia.com/v1alpha1","kind":"NVIDIADriver","metadata":{"name":"%s"},"spec":%s}\
        """
            .formatted(name, spec);
    client
        .resource(
            client.getKubernetesSerialization().unmarshal(object, GenericKubernetesResource.class))
        .create();
    return this;
  }

  /// Changes it by a JSON merge patch.
  NvidiaDriver edit(String patch) {
    resource().patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    return this;
  }

  void delete() {
    resource().delete();
  }

  /// Deletes those of all tests.
  static void deleteAll(KubernetesClient client) {
    client.genericKubernetesResources("nvidia.com/v1alpha1", "NVIDIADriver").delete();
  }

  String uid() {
    return object().at("/metadata/uid").asText();
  }

  void awaitReady() {
    await(name + " is ready")
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(stateOfNow())
                .as(() -> object().at("/status").toString())
                .isEqualTo("ready"));
  }

  /// Waits until the condition Error has a reason and says certain words; the message.
  String awaitError(String reason, String words) {
    return awaitCondition("Error", reason, words);
  }

  /// The same of another condition.
  String awaitCondition(String type, String reason, String words) {
    return await(name + " reports " + reason)
        .atMost(LIMIT)
        .until(() -> message(type, reason), message -> message.contains(words));
  }

  private String message(String type, String reason) {
    for (var condition : object().at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)
          && condition.path("status").asText().equals("True")
          && condition.path("reason").asText().equals(reason)) {
        return condition.path("message").asText();
      }
    }
    return "";
  }

  private String stateOfNow() {
    var object = object();
    long generation = object.at("/metadata/generation").asLong();
    for (var condition : object.at("/status/conditions")) {
      if (condition.path("observedGeneration").asLong() < generation) {
        return "not looked at";
      }
    }
    return object.at("/status/state").asText();
  }

  private JsonNode object() {
    return JSON.valueToTree(
        Objects.requireNonNullElseGet(resource().get(), GenericKubernetesResource::new));
  }

  private Resource<GenericKubernetesResource> resource() {
    return client.genericKubernetesResources("nvidia.com/v1alpha1", "NVIDIADriver").withName(name);
  }
}
