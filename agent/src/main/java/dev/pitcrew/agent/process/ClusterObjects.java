package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ObjectPath;

/// Which objects of the cluster concern this node.
final class ClusterObjects {
  private ClusterObjects() {}

  static ObjectPath node(AgentPlace.Identity identity) {
    return ObjectPath.of("v1", "nodes", identity.node());
  }

  static ObjectPath gpuNode(AgentPlace.Identity identity) {
    return ObjectPath.of("pitcrew.dev/v1alpha1", "gpunodes", identity.node());
  }

  static ObjectPath configMap(AgentPlace.Identity identity, String name) {
    return ObjectPath.of("v1", "configmaps", identity.namespace(), name);
  }
}
