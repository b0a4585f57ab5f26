package dev.pitcrew.agent.context;

import dev.pitcrew.agent.cluster.ObjectPath;

/// Which objects of the cluster concern this node.
public final class NodeObjects {
  private NodeObjects() {}

  public static ObjectPath node(AgentContext.Identity identity) {
    return ObjectPath.of("v1", "nodes", identity.node());
  }

  public static ObjectPath gpuNode(AgentContext.Identity identity) {
    return ObjectPath.of("pitcrew.dev/v1alpha1", "gpunodes", identity.node());
  }

  public static ObjectPath configMap(AgentContext.Identity identity, String name) {
    return ObjectPath.of("v1", "configmaps", identity.namespace(), name);
  }
}
