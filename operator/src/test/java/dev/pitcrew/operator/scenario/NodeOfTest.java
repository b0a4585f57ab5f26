package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;

/// A node that is there for one test.
final class NodeOfTest implements AutoCloseable {
  private final Resource<Node> node;

  NodeOfTest(KubernetesClient client, Node node) {
    this.node = client.resource(node);
    this.node.create();
  }

  boolean hasLabel(String key) {
    return node.get().getMetadata().getLabels().containsKey(key);
  }

  @Override
  public void close() {
    node.delete();
  }
}
