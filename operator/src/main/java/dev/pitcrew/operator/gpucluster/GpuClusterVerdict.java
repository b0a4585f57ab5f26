package dev.pitcrew.operator.gpucluster;

import dev.pitcrew.operator.policy.Verdict;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/// The status of a GPUCluster; reasons and first sentences are those of the NVIDIA GPU Operator.
public record GpuClusterVerdict(String state, String reason, String message) implements Verdict {
  private static final String OPERAND_NOT_READY = "OperandNotReady";

  /// A ClusterPolicy owns the GPU nodes.
  public static GpuClusterVerdict besidePolicy(String policy) {
    return new GpuClusterVerdict(
        NOT_READY,
        "PrerequisiteNotMet",
        "A ClusterPolicy CR \"%1$s\" exists; a ClusterPolicy CR and GPUCluster CR may not exist at the same time: kubectl delete clusterpolicy %1$s, or delete this GPUCluster"
            .formatted(policy));
  }

  /// The API server does not serve dynamic resource allocation.
  public static GpuClusterVerdict withoutClaims() {
    return failed(
        "the API server does not serve DeviceClass of resource.k8s.io/v1: use Kubernetes 1.34 or newer, with dynamic resource allocation enabled on API server and kubelets");
  }

  /// What is there of its objects is not known yet.
  ///
  /// @param kinds that the API server has not listed
  public static GpuClusterVerdict unlisted(List<String> kinds) {
    return waiting(
        "the API server has not listed %s yet; the operator's log says why, if this lasts"
            .formatted(String.join(", ", kinds)));
  }

  public static GpuClusterVerdict failed(String message) {
    return new GpuClusterVerdict(NOT_READY, "ReconcileFailed", message);
  }

  /// What the plan has come to.
  ///
  /// @param lacks why DaemonSets and Deployments are not ready
  public static GpuClusterVerdict of(GpuClusterPlan plan, List<String> lacks) {
    return plan.problems().entrySet().stream()
        .min(Map.Entry.comparingByKey())
        .map(problem ->
            failed(
                "Error syncing state %s: %s"
                    .formatted(problem.getKey(), problem.getValue().message())))
        .orElseGet(() ->
            lacks.isEmpty()
                ? new GpuClusterVerdict(
                    READY, "Reconciled", "All resources have been successfully reconciled")
                : waiting(String.join("; ", lacks)));
  }

  /// The same with a note where a FleetPolicy asks for agents, which run beside a ClusterPolicy.
  public GpuClusterVerdict besideAgents(boolean areWanted) {
    return areWanted
        ? new GpuClusterVerdict(
            state,
            reason,
            message
                + "; note: FleetPolicy spec.agent has no effect beside a GPUCluster, whose claims NVIDIA's DRA driver serves")
        : this;
  }

  /// The same, but not ready while nodes lack labels that decide what runs on them.
  ///
  /// @param nodes whose labels are still to be written, by name, and what keeps them from it
  public GpuClusterVerdict afterLabelling(SortedMap<String, String> nodes) {
    return nodes.isEmpty() || !isReady()
        ? this
        : waiting(
            "nodes still to be labelled: %d, the first is %s"
                .formatted(nodes.size(), nodes.firstKey()));
  }

  private static GpuClusterVerdict waiting(String what) {
    return new GpuClusterVerdict(
        NOT_READY, OPERAND_NOT_READY, "Waiting for operand pods to be ready: " + what);
  }

  @Override
  public boolean isProgress() {
    return reason.equals(OPERAND_NOT_READY);
  }
}
