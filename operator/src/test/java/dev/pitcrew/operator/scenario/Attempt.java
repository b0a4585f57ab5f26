package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// A write that a user tries, with a description.
record Attempt(String what, Consumer<KubernetesClient> write) {
  static final String GPU_NODES = "pitcrew.dev/v1alpha1";

  /// A server-side apply as the agent makes it.
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("pitcrew-agent")
          .withForce(true)
          .build();

  /// A JSON merge patch of a Node.
  static Attempt node(String what, String node, String patch) {
    return new Attempt(
        what,
        client ->
            client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /// A JSON patch of a Node's taints, as one who minds the others writes it.
  static Attempt taints(String what, String node, String taints) {
    var patch = "[{\"op\": \"add\", \"path\": \"/spec/taints\", \"value\": " + taints + "}]";
    return new Attempt(
        what,
        client -> client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON), patch));
  }

  static Attempt labels(String what, String node, String labels) {
    return node(what, node, "{\"metadata\": {\"labels\": " + labels + "}}");
  }

  static Attempt create(String what, String yaml) {
    return new Attempt(
        what,
        client ->
            client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create());
  }

  /// A server-side apply of the status of a GPUNode.
  static Attempt status(String what, String node, String status) {
    var patch =
        "{\"apiVersion\": \"%s\", \"kind\": \"GPUNode\", \"metadata\": {\"name\": \"%s\"}, \"status\": %s}"
            .formatted(GPU_NODES, node, status);
    return new Attempt(
        what,
        client ->
            client
                .genericKubernetesResources(GPU_NODES, "GPUNode")
                .withName(node)
                .subresource("status")
                .patch(APPLY, patch));
  }

  /// A server-side apply of the status of a Node.
  static Attempt nodeStatus(String what, String node, String status) {
    var patch =
        "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"%s\"}, \"status\": %s}"
            .formatted(node, status);
    return new Attempt(
        what, client -> client.nodes().withName(node).subresource("status").patch(APPLY, patch));
  }

  /// A strategic merge patch that takes a condition off a Node.
  static Attempt withoutCondition(String what, String node, String type) {
    var patch =
        "{\"status\": {\"conditions\": [{\"type\": \"%s\", \"$patch\": \"delete\"}]}}"
            .formatted(type);
    return new Attempt(
        what,
        client ->
            client
                .nodes()
                .withName(node)
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch));
  }

  /// What the API server says to it; empty if it is carried out.
  String answerTo(KubernetesClient client) {
    try {
      write.accept(client);
      return "";
    } catch (KubernetesClientException e) {
      return e.getStatus() == null ? String.valueOf(e.getMessage()) : e.getStatus().getMessage();
    }
  }
}
