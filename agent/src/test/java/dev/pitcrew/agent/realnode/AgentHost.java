package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.client.KubernetesClient;

/// A node of a cluster on which an [AgentOnNode] runs.
interface AgentHost {
  RealNode node();

  ControlPlane controlPlane();

  JvmOnNode jvm();

  /// What agents have for the host's root.
  String hostRoot();

  /// Ends what offers the GPUs of the node.
  void offerNothing();

  default KubernetesClient client() {
    return controlPlane().client();
  }
}
