package dev.pitcrew.operator.runtime;

import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.node.NodeFacts;
import java.util.Optional;

/// What of one node the policy depends on; other changes of a node are none of its business.
///
/// @param gpu what the label nvidia.com/gpu.present says, or will say once we have set it
/// @param pool empty while feature discovery has not named the operating system
record NodeSummary(
    boolean gpu, boolean featureLabels, Optional<NodePool> pool, String runtimeVersion) {

  static NodeSummary of(NodeFacts node) {
    boolean gpu = node.hasGpuDevice();
    return new NodeSummary(
        gpu,
        node.hasFeatureLabels(),
        gpu ? pool(node) : Optional.empty(),
        gpu ? node.containerRuntimeVersion() : "");
  }

  private static Optional<NodePool> pool(NodeFacts node) {
    return node.osId()
        .flatMap(id ->
            node.osVersion()
                .map(version ->
                    new NodePool(
                        new OsRelease(id, version),
                        node.kernel().orElse(""),
                        node.ostreeVersion().orElse(""))));
  }
}
