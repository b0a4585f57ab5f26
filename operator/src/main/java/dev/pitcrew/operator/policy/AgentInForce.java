package dev.pitcrew.operator.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.requests.RequestReading;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.Objects;
import java.util.Optional;

/// Whether the node agent runs and what it provides. The answer is kept on the agent's DaemonSet: a
/// FleetPolicy that is missing or cannot be read must not turn every node of a cluster around.
public final class AgentInForce {
  private AgentInForce() {}

  /// The agent as the FleetPolicy has it, else as it runs, else off.
  ///
  /// @param running the agent's DaemonSet
  public static AgentSpec of(Optional<JsonNode> fleetPolicy, Optional<DaemonSet> running) {
    return fleetPolicy
        .flatMap(AgentInForce::readable)
        .or(() -> running.flatMap(AgentInForce::recorded))
        .orElse(AgentSpec.ABSENT);
  }

  /// Whether some pod of the agent is ready, in its latest form. That says nothing of another node,
  /// nor of this one's GPUs: on a node without any the pod is ready, too.
  public static boolean isRunning(DaemonSet agent) {
    DaemonSetStatus status = agent.getStatus();
    return hasReadyPod(agent)
        && Objects.equals(status.getObservedGeneration(), agent.getMetadata().getGeneration());
  }

  /// The same, in whatever form.
  static boolean hasReadyPod(DaemonSet agent) {
    DaemonSetStatus status = agent.getStatus();
    return status != null && Objects.requireNonNullElse(status.getNumberReady(), 0) > 0;
  }

  private static Optional<AgentSpec> readable(JsonNode fleetPolicy) {
    try {
      return Optional.of(ApiJson.read(fleetPolicy, FleetPolicy.class).spec().agent());
    } catch (UnreadableResource e) {
      return Optional.empty();
    }
  }

  /// The nodes on which it is to be, taints and GPUs apart.
  public static Placement placement(AgentSpec agent) {
    return RequestReading.placement(
        new PodSpecBuilder()
            .withNodeSelector(agent.nodeSelector())
            .withAffinity(OperandSettings.affinity(agent.affinity()))
            .build());
  }

  /// The agent as it was rendered last.
  static Optional<AgentSpec> recorded(DaemonSet running) {
    return Optional.ofNullable(running.getMetadata().getAnnotations().get(Agent.MODE))
        .map(mode -> ApiJson.read(mode, AgentSpec.class));
  }
}
