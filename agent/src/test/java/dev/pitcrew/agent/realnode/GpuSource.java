package dev.pitcrew.agent.realnode;

import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealCluster;

/// What offers the GPUs of a cluster's only node to its kubelet. What holds for one source holds
/// for every other: a process on the node, or a pod.
interface GpuSource {
  /// What a node needs for it.
  NodeSpec on(NodeSpec spec);

  /// Offers the GPUs as wanted from now on; returns when the kubelet knows them.
  void start(RealCluster cluster, Wanted wanted);

  /// Ends it without a chance to tidy up.
  void kill();

  /// The last lines that it wrote, for a reader who looks into a failure.
  String lastOutput();
}
