package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.scenario.play.Scenario;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A ClusterPolicy of the cluster, as its user writes and reads it.
record Policy(KubernetesClient client, String name) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// Creates it as a scenario has it.
  Policy create(Scenario scenario) throws IOException {
    return create(scenario, Map.of());
  }

  /// The same with some sections of its spec replaced.
  Policy create(Scenario scenario, Map<String, Object> sections) throws IOException {
    try (var yaml = Files.newInputStream(scenario.file("cr.yaml").orElseThrow())) {
      var policy =
          client.getKubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class);
      policy.getMetadata().setName(name);
      Map<String, Object> spec = policy.get("spec");
      spec.putAll(sections);
      client.resource(policy).create();
    }
    return this;
  }

  /// Changes its spec by a JSON merge patch.
  Policy edit(String specPatch) {
    resource().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":" + specPatch + "}");
    return this;
  }

  /// Takes the spec that it had before, field for field.
  void restore(JsonNode spec) {
    var patch = JSON.createArrayNode();
    patch.addObject().put("op", "replace").put("path", "/spec").set("value", spec);
    resource().patch(PatchContext.of(PatchType.JSON), patch.toString());
  }

  void delete() {
    resource().delete();
  }

  boolean isThere() {
    return resource().get() != null;
  }

  JsonNode spec() {
    return object().path("spec");
  }

  String uid() {
    return object().at("/metadata/uid").asText();
  }

  String state() {
    return object().at("/status/state").asText();
  }

  /// The message of a condition that is true; empty where it is not.
  String messageOf(String type) {
    for (var condition : object().at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)
          && condition.path("status").asText().equals("True")) {
        return condition.path("message").asText();
      }
    }
    return "";
  }

  /// Waits until the policy, as it is now, is ready.
  void awaitReady() {
    awaitState("ready", LIMIT);
  }

  void awaitState(String state, Duration limit) {
    await(name + " is " + state)
        .atMost(limit)
        .untilAsserted(() ->
            assertThat(stateOfNow()).as(() -> object().at("/status").toString()).isEqualTo(state));
  }

  /// Waits until the condition Error says something with all these words, and returns the message.
  String awaitError(String... words) {
    return await("Error of " + name)
        .atMost(LIMIT)
        .until(
            () -> messageOf("Error"),
            message -> List.of(words).stream().allMatch(message::contains));
  }

  /// What events of a type about it say.
  List<String> notes(String type) {
    return client.events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getType().equals(type) && isAboutThis(event))
        .map(Event::getNote)
        .toList();
  }

  private boolean isAboutThis(Event event) {
    return event.getRegarding().getKind().equals("ClusterPolicy")
        && event.getRegarding().getName().equals(name);
  }

  /// The state, or nothing while the operator has not looked at the newest generation.
  private String stateOfNow() {
    var object = object();
    var generation = object.at("/metadata/generation").asLong();
    for (var condition : object.at("/status/conditions")) {
      if (condition.path("observedGeneration").asLong() < generation) {
        return "not looked at";
      }
    }
    return object.at("/status/state").asText();
  }

  private JsonNode object() {
    return JSON.valueToTree(Objects.requireNonNullElseGet(resource().get(), () -> gone()));
  }

  private static GenericKubernetesResource gone() {
    return new GenericKubernetesResource();
  }

  private Resource<GenericKubernetesResource> resource() {
    return client.genericKubernetesResources("nvidia.com/v1", "ClusterPolicy").withName(name);
  }
}
