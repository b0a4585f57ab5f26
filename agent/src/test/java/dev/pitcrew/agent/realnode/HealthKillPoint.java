package dev.pitcrew.agent.realnode;

/// Where the agent is killed between a fault of a GPU and its end: each is the moment after an
/// effect.
enum HealthKillPoint {
  EVIDENCE_IS_SEEN("agent.node.NodeWatch#tell@REMAP_PENDING"),
  EVIDENCE_IS_WRITTEN("agent.process.HealthMemory#keep@REMAP_PENDING"),
  KUBELET_IS_TOLD("agent.plugin.DeviceStreams#publish@Unhealthy"),
  TAINT_IS_SET("agent.cluster.ApiServer#patch@/v1/nodes/"),
  CONDITION_IS_SET("agent.cluster.ApiServer#apply@/v1/nodes/gpu-node/status"),
  EVENT_IS_CREATED("agent.cluster.ApiServer#create@/events/"),
  GPU_NODE_IS_WRITTEN("agent.cluster.ApiServer#apply@/gpunodes/"),
  RESET_IS_ANNOUNCED("agent.process.ResetGpus#announce"),
  RESET_IS_NOTED("agent.process.HealthMemory#keep@RESET_IN_VAIN"),
  GPU_IS_RESET("agent.mig.change.OwnAccess#resetAt"),
  RESET_IS_LEARNT("agent.process.ResetGpus#done"),
  RECOVERY_IS_WRITTEN("agent.process.HealthMemory#keep@Signs[all={}]"),
  TAINT_IS_REMOVED("agent.cluster.ApiServer#patch@/v1/nodes/"),
  CONDITION_IS_TRUE_AGAIN("agent.cluster.ApiServer#apply@/v1/nodes/gpu-node/status"),
  RECOVERY_IS_IN_GPU_NODE("agent.cluster.ApiServer#apply@/gpunodes/");

  private final String place;

  HealthKillPoint(String place) {
    this.place = "dev.pitcrew." + place;
  }

  /// As [KillAgent] takes it.
  String place() {
    return place;
  }

  /// Whether it lies after the fault was mended by somebody else.
  boolean isOfRecovery() {
    return compareTo(RECOVERY_IS_WRITTEN) >= 0;
  }
}
