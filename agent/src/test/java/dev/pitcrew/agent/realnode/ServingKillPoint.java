package dev.pitcrew.agent.realnode;

import java.util.stream.Stream;

/// Where the agent is killed while it serves others than the kubelet: each is the moment after an
/// effect that they see. Those of a start come first.
enum ServingKillPoint {
  RUNTIME_HAS_REGISTERED_IT("agent.nri.RuntimeSession#registered", Cause.START),
  RUNTIME_HAS_CONFIGURED_IT("agent.nri.RuntimeSession#configured", Cause.START),
  PORT_OF_METRICS_IS_BOUND("agent.nodestatus.NodeStatusController#serve", Cause.START),
  STATUS_FILE_IS_WRITTEN_UNDER_ANOTHER_NAME(
      "agent.state.WholeFile#write@driver-ready", Cause.NO_STATUS_FILE),
  STATUS_FILE_IS_RENAMED("agent.state.WholeFile#replace@driver-ready", Cause.NO_STATUS_FILE),
  CONTAINER_IS_DECIDED("agent.nri.PluginService#create", Cause.CONTAINER),
  CONTAINER_IS_ADJUSTED("agent.nri.RuntimeSession#answer@CreateContainer", Cause.CONTAINER),
  STATUS_FILE_IS_REMOVED("agent.state.WholeFile#remove@driver-ready", Cause.NO_DRIVER),
  RELEASE_IS_SAID("agent.gpu.DriverReleaseFile#write", Cause.PAUSE),
  DAEMONS_ARE_WRITTEN_UNDER_ANOTHER_NAME("agent.state.WholeFile#write@daemons", Cause.OTHER_LIMITS),
  DAEMONS_ARE_RENAMED("agent.state.WholeFile#replace@daemons", Cause.OTHER_LIMITS),
  METRICS_ARE_READ("agent.nodestatus.NodeStatusController#page", Cause.SCRAPE);

  /// What makes the agent get there.
  enum Cause {
    START,
    /// A pod that asks for GPUs by a variable.
    CONTAINER,
    /// A start on a node that has not been validated.
    NO_STATUS_FILE,
    /// The driver is unloaded.
    NO_DRIVER,
    /// The operator pauses the node for a new driver.
    PAUSE,
    /// The GPUs are shared among more clients of MPS.
    OTHER_LIMITS,
    /// A scrape by Prometheus.
    SCRAPE;

    /// Whether an agent gets there automatically, before it has recovered from the last kill.
    boolean isStart() {
      return this == START || this == NO_STATUS_FILE;
    }
  }

  private final String place;
  private final Cause cause;

  ServingKillPoint(String place, Cause cause) {
    this.place = "dev.pitcrew." + place;
    this.cause = cause;
  }

  /// As [KillAgent] takes it.
  String place() {
    return place;
  }

  Cause cause() {
    return cause;
  }

  /// The last one that an agent reaches before it has recovered.
  static ServingKillPoint lastOfStart() {
    return Stream.of(values())
        .filter(point -> point.cause.isStart())
        .reduce((_, last) -> last)
        .orElseThrow();
  }
}
