package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.requests.Taint;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.policy.SuitableNodes;
import io.fabric8.kubernetes.api.model.Node;
import java.util.List;
import java.util.Optional;

/// What of one node the policy depends on; other changes of a node are none of its business.
///
/// @param gpu what the label nvidia.com/gpu.present says, or will say once we have set it
/// @param pool empty while feature discovery has not named the operating system
/// @param taints those that may keep pods of operands off
record NodeSummary(
    boolean gpu,
    boolean featureLabels,
    Optional<NodePool> pool,
    String runtimeVersion,
    List<Taint> taints) {

  static NodeSummary of(Node node) {
    NodeFacts facts = NodeFacts.of(node);
    boolean gpu = facts.hasGpuDevice();
    return new NodeSummary(
        gpu,
        facts.hasFeatureLabels(),
        gpu ? pool(facts) : Optional.empty(),
        gpu ? facts.containerRuntimeVersion() : "",
        gpu ? SuitableNodes.decisiveTaints(node) : List.of());
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
