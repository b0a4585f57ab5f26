package dev.pitcrew.agent.realnode;

/// Where the agent is killed between a fault of a GPU and its end: each is the moment after an
/// effect.
enum HealthKillPoint {
  EVIDENCE_IS_SEEN("agent.node.NodeWatch#publish@REMAP_PENDING", "remap pending"),
  EVIDENCE_IS_WRITTEN("agent.gpu.HealthStore#keep@REMAP_PENDING", "remap pending"),
  KUBELET_IS_NOTIFIED("agent.plugin.DeviceStreams#publish@Unhealthy", "remap pending"),
  TAINT_IS_SET(Api.PATCH_NODE + "@gpu-unhealthy->Done[", "tainted"),
  CONDITION_IS_SET(Api.APPLY_NODE_STATUS + "@GpuUnhealthy->Done[", "False GpuUnhealthy"),
  EVENT_IS_CREATED("agent.cluster.ApiServer#create@/events/@GpuUnhealthy->Done[", "remap pending"),
  GPU_NODE_IS_WRITTEN(Api.APPLY_GPU_NODE + "@NeedsReset->Done[", "NeedsReset in GPUNode"),
  RESET_IS_ANNOUNCED("agent.unhealthy.ResetController#announce", "remap pending"),
  RESET_IS_NOTED("agent.gpu.HealthStore#keep@RESET_IN_VAIN", "remap pending"),
  GPU_IS_RESET("agent.mig.change.OwnAccess#resetAt", "remap done"),
  RESET_IS_LEARNT("agent.unhealthy.ResetController#done", "remap done"),
  RECOVERY_IS_WRITTEN("agent.gpu.HealthStore#keep@Signs[all={}]", "remap done"),
  TAINT_IS_REMOVED(Api.PATCH_NODE + "->Done[", "no taint"),
  CONDITION_IS_TRUE_AGAIN(Api.APPLY_NODE_STATUS + "@GpusHealthy->Done[", "True GpusHealthy"),
  RECOVERY_IS_IN_GPU_NODE(Api.APPLY_GPU_NODE + "@!Replace->Done[", "Healthy in GPUNode");

  private static final class Api {
    static final String PATCH_NODE = "agent.cluster.ApiServer#patch@/v1/nodes/";
    static final String APPLY_NODE_STATUS =
        "agent.cluster.ApiServer#apply@/v1/nodes/gpu-node/status";
    static final String APPLY_GPU_NODE = "agent.cluster.ApiServer#apply@/gpunodes/";
  }

  private final String place;
  private final String left;

  HealthKillPoint(String place, String left) {
    this.place = "dev.pitcrew." + place;
    this.left = left;
  }

  /// As [KillAgent] takes it.
  String place() {
    return place;
  }

  /// A part of what a killed agent leaves by then.
  String left() {
    return left;
  }

  /// Whether it lies after another program has repaired the fault.
  boolean isOfRecovery() {
    return compareTo(RECOVERY_IS_WRITTEN) >= 0;
  }
}
