package dev.pitcrew.agent.realnode;

import java.util.Optional;

/// Where the agent is killed: each is the moment after an effect that others see. Those of a start
/// come first.
enum KillPoint {
  NODE_LOCK_IS_TAKEN("agent.state.NodeLock#in", Cause.START),
  NVML_IS_OPEN("hardware.gpu.Gpus#open", Cause.START),
  NVML_REPORTS_EVENTS("agent.node.NvmlEventListener#open", Cause.START),
  CDI_FILE_IS_WRITTEN_UNDER_ANOTHER_NAME("agent.cdi.SpecificationFolder#stage", Cause.NO_CDI_FILE),
  CDI_FILE_IS_RENAMED("agent.cdi.SpecificationFolder#finish", Cause.NO_CDI_FILE),
  SOCKET_IS_BOUND("agent.sockets.ServiceSocket#open", Cause.START),
  KUBELET_HAS_REGISTERED_IT("agent.plugin.Kubelet#register", Cause.START),
  LIST_IS_SENT("agent.plugin.DeviceStreams$Stream#send", Cause.START),
  STATE_FILE_IS_WRITTEN_UNDER_ANOTHER_NAME(
      "agent.state.WholeFile#write@settings.json", Cause.NO_STATE_FILE),
  STATE_FILE_IS_RENAMED("agent.state.WholeFile#replace@settings.json", Cause.NO_STATE_FILE),
  GPU_NODE_IS_CREATED(
      Api.CREATE + "/gpunodes/->Done[", Cause.NO_GPU_NODE, "create pitcrew.dev/gpunodes"),
  NODE_LABELS_ARE_APPLIED(Api.APPLY + "/nodes/->Done[", Cause.WRONG_LABEL, "patch nodes"),
  GPU_NODE_STATUS_IS_APPLIED(
      Api.APPLY + "/status@replicas->Done[",
      Cause.WRONG_CONFIGURATION,
      "patch pitcrew.dev/gpunodes/status"),
  GPU_NODE_LABELS_ARE_APPLIED(
      Api.APPLY + "/gpunodes/@pitcrew.dev/ready->Done[",
      Cause.WRONG_GPU_NODE_LABEL,
      "patch pitcrew.dev/gpunodes"),
  EVENT_IS_CREATED(
      Api.CREATE + "/events/->Done[", Cause.RIGHT_CONFIGURATION, "create events.k8s.io/events"),
  PREFERENCE_IS_ANSWERED("agent.plugin.PluginService#getPreferredAllocation", Cause.POD),
  DEVICES_ARE_ALLOCATED("agent.plugin.PluginService#allocate", Cause.POD);

  private static final class Api {
    static final String CREATE = "agent.cluster.ApiServer#create@";
    static final String APPLY = "agent.cluster.ApiServer#apply@";
  }

  /// What makes the agent get there.
  enum Cause {
    START,
    /// A start on a node without specifications.
    NO_CDI_FILE,
    /// A start on a node without memory.
    NO_STATE_FILE,
    /// The first start in a cluster.
    NO_GPU_NODE,
    /// A user wrote another value on one of the agent's labels.
    WRONG_LABEL,
    /// The same of its GPUNode.
    WRONG_GPU_NODE_LABEL,
    /// A user made a mistake in the configuration.
    WRONG_CONFIGURATION,
    /// A user corrected the configuration.
    RIGHT_CONFIGURATION,
    /// A pod that asks for GPUs.
    POD;

    /// Whether an agent gets there automatically, before it has recovered from the last kill.
    boolean isStart() {
      return switch (this) {
        case START, NO_CDI_FILE, NO_STATE_FILE, NO_GPU_NODE -> true;
        case WRONG_LABEL, WRONG_GPU_NODE_LABEL, WRONG_CONFIGURATION, RIGHT_CONFIGURATION, POD ->
            false;
      };
    }
  }

  private final String place;
  private final Cause cause;
  private final Optional<String> request;

  KillPoint(String place, Cause cause) {
    this(place, cause, Optional.empty());
  }

  KillPoint(String place, Cause cause, String request) {
    this(place, cause, Optional.of(request));
  }

  KillPoint(String place, Cause cause, Optional<String> request) {
    this.place = "dev.pitcrew." + place;
    this.cause = cause;
    this.request = request;
  }

  /// As [KillAgent] takes it.
  String place() {
    return place;
  }

  Cause cause() {
    return cause;
  }

  /// Verb and resource of the request that the API server has done by then.
  Optional<String> request() {
    return request;
  }
}
