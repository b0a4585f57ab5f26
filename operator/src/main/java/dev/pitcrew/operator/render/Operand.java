package dev.pitcrew.operator.render;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;

/// A part of the GPU stack that Pitcrew runs on the nodes.
public interface Operand {

  /// The name of its state in messages and metrics, as users know it: `state-dcgm` for example.
  String state();

  /// Name of its DaemonSet, to which variants per kernel or CoreOS release append; empty if it has
  /// none.
  String daemonSetName();

  /// Whether the policy wants it. What is not wanted is removed.
  boolean isEnabled(ClusterPolicySpec spec);

  /// Whether the policy hands its pods over to another owner: they and what they use stay when its
  /// DaemonSets go.
  default boolean isHandedOver(ClusterPolicySpec spec) {
    return false;
  }

  /// Whether its DaemonSets make no sense on a cluster without a GPU node.
  default boolean needsGpuNodes() {
    return true;
  }

  /// Whether the policy is not ready while its pods are not. Its status is reported in any case.
  default boolean decidesReadiness() {
    return true;
  }

  /// Asked in order before rendering; the first problem blocks this operand alone.
  default List<Check> checks() {
    return List.of();
  }

  /// Everything but DaemonSets; wanted on a cluster without a GPU node too.
  List<HasMetadata> resources(RenderContext context);

  /// What there must be of it where the node agent does its work: Services and what else others
  /// find the agent by, under the names that they know.
  default List<HasMetadata> ofAgent(RenderContext context) {
    return List.of();
  }

  /// Its DaemonSets, rendered only when there is a GPU node.
  default List<DaemonSet> daemonSets(RenderContext context) {
    return List.of();
  }
}
