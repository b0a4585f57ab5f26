package dev.pitcrew.cli.console;

import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.Holdings;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What is known of the cluster at one time.
///
/// @param nodes empty also where the user may not list them; then a problem says so
/// @param kubeNodes empty where the user may not list them
/// @param pods that hold GPUs or wait for some; empty where the user may not list them
/// @param settings of the FleetPolicy; empty where there is none, or the user may not list them
/// @param problems why it may be incomplete or old
record Snapshot(
    Instant now,
    List<GpuNode> nodes,
    Optional<List<KubeNode>> kubeNodes,
    Optional<List<Pod>> pods,
    List<Policy> policies,
    Optional<FleetSettings> settings,
    List<Problem> problems) {

  /// Something that cannot be read.
  ///
  /// @param what such as `pods`
  /// @param stale whether what was read before is still shown
  /// @param since when it can not be read any more
  public record Problem(String what, String message, boolean stale, String since) {}

  Optional<Holdings> holdings() {
    return pods.map(Holdings::new);
  }
}
