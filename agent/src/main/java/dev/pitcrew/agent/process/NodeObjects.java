package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ObjectPath;

/// Which objects of the cluster concern this node.
final class NodeObjects {
  private NodeObjects() {}

  static ObjectPath node(AgentContext.Identity identity) {
    return ObjectPath.of("v1", "nodes", identity.node());
  }

  static ObjectPath gpuNode(AgentContext.Identity identity) {
    return ObjectPath.of("pitcrew.dev/v1alpha1", "gpunodes", identity.node());
  }

  static ObjectPath configMap(AgentContext.Identity identity, String name) {
    return ObjectPath.of("v1", "configmaps", identity.namespace(), name);
  }
}
