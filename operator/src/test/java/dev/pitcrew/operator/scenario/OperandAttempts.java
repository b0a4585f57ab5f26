package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;

/// What operands send to the API server, as their sources have it, and what could be sent with
/// their tokens.
final class OperandAttempts {
  private static final String NFD = "nfd.k8s-sigs.io/v1alpha1";

  private OperandAttempts() {}

  static Attempt cordon(String node, boolean on) {
    return Attempt.node(
        node + (on ? " cordoned" : " un-cordoned"),
        node,
        "{\"spec\": {\"unschedulable\": " + on + "}}");
  }

  static Attempt eviction(String namespace, String pod) {
    return new Attempt(
        "%s/%s evicted".formatted(namespace, pod),
        client -> client.pods().inNamespace(namespace).withName(pod).evict());
  }

  static Attempt deletion(String namespace, String pod) {
    return new Attempt(
        "%s/%s deleted".formatted(namespace, pod),
        client -> client.pods().inNamespace(namespace).withName(pod).delete());
  }

  static Attempt relabelling(String namespace, String pod) {
    return new Attempt(
        "%s/%s labelled".formatted(namespace, pod),
        client ->
            client
                .pods()
                .inNamespace(namespace)
                .withName(pod)
                .patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}"));
  }

  /// A pod in the operator's namespace, as the validator makes them.
  ///
  /// @param node empty leaves that to the scheduler
  static Attempt pod(String account, String node) {
    return pod("a pod of %s on '%s'".formatted(account, node), account, node, "[]");
  }

  static Attempt podWithSecret(String account, String node) {
    return pod("a pod with a Secret", account, node, "[{name: s, secret: {secretName: licence}}]");
  }

  private static Attempt pod(String what, String account, String node, String volumes) {
    return Attempt.create(
        what,
        """
        apiVersion: v1
        kind: Pod
        metadata: {generateName: made-by-a-test-, namespace: %s}
        spec:
          serviceAccountName: %s
          nodeName: '%s'
          containers: [{name: a, image: 'example.com/a:1'}]
          volumes: %s
        """
            .formatted(Scene.NAMESPACE, account, node, volumes));
  }

  /// A ConfigMap created, or replaced where it is there.
  static Attempt configMap(String name) {
    var configMap =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(Scene.NAMESPACE)
            .endMetadata()
            .addToData("config.yaml", "of a test")
            .build();
    return new Attempt(
        "the ConfigMap " + name + " written",
        client -> {
          if (client.resource(configMap).get() == null) {
            client.resource(configMap).create();
          } else {
            client.resource(configMap).update();
          }
        });
  }

  /// Features that name a node.
  static Attempt feature(String name, String node) {
    return Attempt.create(
        "features of " + node,
        """
        apiVersion: %s
        kind: NodeFeature
        metadata:
          generateName: %s-
          namespace: %s
          labels: {nfd.node.kubernetes.io/node-name: %s}
        spec: {labels: {a: b}}
        """
            .formatted(NFD, name, Scene.NAMESPACE, node));
  }

  /// The first features of the own node written again.
  static Attempt features(String prefix) {
    return new Attempt(
        "features written again",
        client -> {
          var features = client.genericKubernetesResources(NFD, "NodeFeature");
          var found =
              features.inNamespace(Scene.NAMESPACE).list().getItems().stream()
                  .filter(feature -> feature.getMetadata().getName().startsWith(prefix))
                  .findFirst()
                  .orElseThrow();
          found.setAdditionalProperty("spec", Map.of("labels", Map.of("a", "c")));
          client.resource(found).update();
        });
  }

  /// The whole Node sent back with one label changed.
  static Attempt replacement(String node, String label, String value) {
    return new Attempt(
        node + " replaced with " + label,
        client -> {
          var changed =
              new NodeBuilder(client.nodes().withName(node).require())
                  .editMetadata()
                  .addToLabels(label, value)
                  .endMetadata()
                  .build();
          client.resource(changed).update();
        });
  }
}
