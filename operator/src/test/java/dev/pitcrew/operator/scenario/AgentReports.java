package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;

/// The GPUNode of a node, written as its agent does: made for the Node, then its status by
/// server-side apply under the agent's name.
record AgentReports(KubernetesClient client, String node) {
  private static final ObjectMapper JSON = new ObjectMapper();

  AgentReports create() {
    String uid = client.nodes().withName(node).require().getMetadata().getUid();
    client
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: pitcrew.dev/v1alpha1
                kind: GPUNode
                metadata:
                  name: %1$s
                  ownerReferences: [{apiVersion: v1, kind: Node, name: %1$s, uid: %2$s}]
                """
                    .formatted(node, uid),
                GenericKubernetesResource.class))
        .create();
    return this;
  }

  /// Says all that the agent has to say of the driver.
  ///
  /// @param driver fields of `status.driver`, as JSON
  void driver(String driver) {
    status("\"driver\": %s, %s".formatted(driver, condition(driver.contains("\"Ready\""))));
  }

  private static String condition(boolean isDriverReady) {
    return """
    "conditions": [
      {"type": "DriverReady", "status": "%s", "reason": "Simulated", "message": "", "lastTransitionTime": "2026-11-26T00:00:00Z"}]
    """
        .formatted(isDriverReady ? "True" : "False");
  }

  /// @param fields of `status`, as JSON; those that it said before and that are not among them go
  GenericKubernetesResource status(String fields) {
    return resource()
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager("pitcrew-agent")
                .withForce(true)
                .build(),
            """
            {"apiVersion": "pitcrew.dev/v1alpha1", "kind": "GPUNode", "metadata": {"name": "%s"},
             "status": {%s}}
            """
                .formatted(node, fields));
  }

  JsonNode status() {
    return JSON.valueToTree(resource().require()).path("status");
  }

  void delete() {
    resource().delete();
  }

  private Resource<GenericKubernetesResource> resource() {
    return client.genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode").withName(node);
  }
}
