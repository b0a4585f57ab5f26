package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The FleetPolicy of the cluster, as its user writes it.
record FleetPolicies(KubernetesClient client) implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String YAML =
      """
      apiVersion: pitcrew.dev/v1alpha1
      kind: FleetPolicy
      metadata: {name: fleet}
      spec:
        agent:
          enabled: true
          functions: [labels, devicePlugin]
          image: {repository: example.com, image: pitcrew, version: "1"}
      """;

  /// With the agent as the chart has it by default.
  void create() {
    client.load(new ByteArrayInputStream(YAML.getBytes(StandardCharsets.UTF_8))).create();
  }

  /// With the operands of the reference.
  void createWithoutAgent() {
    var yaml = YAML.replace("enabled: true", "enabled: false");
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  /// Changes its section on the agent by a JSON merge patch.
  void editAgent(String patch) {
    resource().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"agent\":" + patch + "}}");
  }

  /// Changes its specification by a JSON merge patch.
  void edit(String patch) {
    resource().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":" + patch + "}");
  }

  /// Its specification; empty where there is none.
  Optional<JsonNode> spec() {
    return Optional.ofNullable(resource().get())
        .map(policy -> JSON.<JsonNode>valueToTree(policy).path("spec"));
  }

  /// How many nodes are to have an operand, by its status; -1 where that does not say.
  int desired(String operand) {
    for (var status : JSON.<JsonNode>valueToTree(resource().require()).at("/status/operands")) {
      if (status.path("name").asText().equals(operand)) {
        return status.path("desired").asInt(-1);
      }
    }
    return -1;
  }

  /// Has the FleetPolicy with this specification, field for field, or none.
  void restore(Optional<JsonNode> spec) {
    if (spec.isEmpty()) {
      delete();
      return;
    }
    var patch = JSON.createArrayNode();
    patch.addObject().put("op", "replace").put("path", "/spec").set("value", spec.get());
    resource().patch(PatchContext.of(PatchType.JSON), patch.toString());
  }

  void delete() {
    resource().delete();
  }

  @Override
  public void close() {
    delete();
  }

  private Resource<GenericKubernetesResource> resource() {
    return client
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "FleetPolicy")
        .withName("fleet");
  }
}
